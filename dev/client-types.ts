import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { createRoutes, type RoutesDeps } from '../api/routes.ts';
import { describeRoutes } from '../api/http/openapi.ts';
import { Id, Time, Usd } from '../api/http/schemas.ts';
import { clientRoutes } from '../sdk/src/routes.ts';
import { LISTS, NAMES } from './client-type-names.ts';

/** The part of JSON Schema that the service's description uses. */
interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly description?: string;
}

type Content = Readonly<Record<string, Described>>;

interface Operation {
  readonly parameters?: readonly { name: string; in: string; schema: Schema }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** An error's examples are named by their codes. */
interface Described {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, unknown>>;
}

/** Of a path or a method that the service does not have. */
const ANY_PATH = ['method_not_allowed', 'not_found'];

/** The table of routes is described; nothing is called. */
const NO_DEPS = {} as RoutesDeps;

/** Stated once at the head of the file, not at each field. */
const CONVENTIONS = new Set([Id, Time, Usd].map((schema: Schema) => schema.description));

const FILE = fileURLToPath(new URL('../sdk/src/http/api-types.ts', import.meta.url));

/** The client library's types of the calls that it makes, from the document at `/openapi.json`. */
export async function createClientTypes(): Promise<string> {
  const operations = readOperations();
  const schemas = new Map<string, Schema>();
  for (const [name, [from, ...path]] of Object.entries(NAMES)) {
    const root = schemas.get(from) ?? answersTo(operations.get(from))[0];
    schemas.set(name, schemaAt(root, path));
  }
  const names = new Map([...schemas].map(([name, schema]) => [JSON.stringify(schema), name]));
  const text = [
    `// Written by \`npm run sdk:types\` from the service's OpenAPI description; a test compares the two.
     // Ids are UUIDs. Times are RFC 3339, in UTC, with milliseconds. Amounts are US dollars with at most six decimals.`,
    ...[...schemas].map(([name, schema]) => {
      const others = new Map([...names].filter(([, other]) => other !== name));
      const type = write(schema, others);
      return `${documentation(name)}
        ${schema.type === 'object' ? `export interface ${name} ${type}` : `export type ${name} = ${type};`}`;
    }),
    `/** The input and the answer of each call. */
     export interface Api {${[...operations].map((entry) => writeCall(entry, names)).join('')}}`,
    `/** The error codes of the service. */
     export type ServiceErrorCode = ${errorCodes(operations.values())
       .map((code) => `'${code}'`)
       .join(' | ')};`,
    ...Object.entries(LISTS).map(([list, [call, field]]) => {
      const schema = inputSchema(operations.get(call))?.properties?.[field];
      const values = schema?.enum ?? schema?.items?.enum;
      return `export const ${list} = ${JSON.stringify(values)} as const;`;
    }),
  ].join('\n\n');
  return await format(text, { ...(await resolveConfig(FILE)), parser: 'typescript' });
}

/** The file as it is now. */
export async function readClientTypes(): Promise<string> {
  return await readFile(FILE, 'utf8');
}

/** The source of a type. */
function documentation(name: string): string {
  const [from = '', ...path] = NAMES[name] ?? [];
  const whole = from.includes(' ') ? `the answer of \`${from}\`` : `{@link ${from}}`;
  if (path.length === 0) return `/** T${whole.slice(1)}. */`;
  return `/** A part of ${whole}: \`${path.join('.').replaceAll('.[]', '[]')}\`. */`;
}

function readOperations(): Map<string, Operation> {
  const described = JSON.stringify(describeRoutes(createRoutes(NO_DEPS)));
  // Schemas that differ only in their examples are one type.
  const { paths } = JSON.parse(described, (name, value: unknown) =>
    name === 'examples' && Array.isArray(value) ? undefined : value,
  ) as { paths: Record<string, Record<string, Operation>> };
  return new Map(
    clientRoutes.map(({ method, path }) => {
      const operation = paths[path]?.[method.toLowerCase()];
      if (!operation) throw new Error(`the service has no ${method} ${path}`);
      return [`${method} ${path}`, operation];
    }),
  );
}

/** The schema at a path; of one that may be null, the other one. */
function schemaAt(schema: Schema | undefined, path: readonly string[]): Schema {
  const [step, ...rest] = path;
  if (!schema) throw new Error(`there is nothing at ${path.join('.')}`);
  if (schema.anyOf && /^\d$/.test(step ?? '')) return schemaAt(schema.anyOf[Number(step)], rest);
  if (schema.anyOf?.[1]?.type === 'null') return schemaAt(schema.anyOf[0], path);
  if (step === undefined) return schema;
  return schemaAt(step === '[]' ? schema.items : schema.properties?.[step], rest);
}

function errorCodes(operations: Iterable<Operation>): string[] {
  const contents = [...operations].flatMap(({ responses }) => Object.values(responses));
  const names = contents.flatMap(({ content }) =>
    Object.keys(content?.['application/json']?.examples ?? {}),
  );
  return [...new Set([...ANY_PATH, ...names])].sort();
}

/** The body of a call, or its query parameters as the properties of an object. */
function inputSchema(operation: Operation | undefined): Schema | undefined {
  const query = operation?.parameters?.filter((parameter) => parameter.in === 'query') ?? [];
  if (query.length === 0) return operation?.requestBody?.content['application/json']?.schema;
  const properties = Object.fromEntries(query.map(({ name, schema }) => [name, schema]));
  return { type: 'object', properties };
}

/** One for each status of success; undefined is an answer without a body. */
function answersTo(operation: Operation | undefined): (Schema | undefined)[] {
  return Object.entries(operation?.responses ?? {})
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content = {} }]) => Object.values(content)[0]?.schema);
}

function writeCall([name, operation]: [string, Operation], named: Names): string {
  const input = inputSchema(operation);
  const answers = answersTo(operation).map((schema) =>
    schema ? write(schema, named) : 'undefined',
  );
  const isLines = 'application/x-ndjson' in (operation.responses['200']?.content ?? {});
  return `'${name}': {
    ${input?.properties || input?.anyOf ? `input: ${write(input, named)};` : ''}
    ${isLines ? 'line' : 'reply'}: ${answers.join(' | ')};
  };`;
}

/** Names by the JSON of their schemas. */
type Names = ReadonlyMap<string, string>;

function write(schema: Schema, named: Names): string {
  const name = named.get(JSON.stringify(schema));
  if (name !== undefined) return name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map((each) => write(each, named)).join(' | ');
  switch (schema.type) {
    case 'array':
      return `(${write(schema.items ?? {}, named)})[]`;
    case 'object':
      return writeObject(schema, named);
    case 'integer':
      return 'number';
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      throw new Error(`not known to the generator: ${JSON.stringify(schema)}`);
  }
}

function writeObject(schema: Schema, named: Names): string {
  const { properties = {}, required = [], patternProperties = {} } = schema;
  const [values] = Object.values(patternProperties);
  if (values) return `Record<string, ${write(values, named)}>`;
  if (Object.keys(properties).length === 0) return 'Record<string, unknown>';
  const members = Object.entries(properties).map(([name, field]) => {
    const type = write(field, named);
    const member = required.includes(name) ? `${name}: ${type};` : `${name}?: ${type};`;
    const description = field.description ?? field.anyOf?.[0]?.description;
    if (description === undefined || CONVENTIONS.has(description)) return member;
    return `/** ${description[0]?.toUpperCase()}${description.slice(1)}. */\n${member}`;
  });
  return `{${members.join('\n')}}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await writeFile(FILE, await createClientTypes());
