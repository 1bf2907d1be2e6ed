import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { defineRoute, type Route } from './route.ts';
import { describeRoutes } from './openapi.ts';
import { Document, Text } from './schemas.ts';

/** Relative, for a proxy that serves the service below a path. */
const DESCRIPTION = 'openapi.json';
const START = `SwaggerUIBundle({ url: '${DESCRIPTION}', dom_id: '#description', deepLinking: true });`;

/** A page that renders the description, self-contained. */
export function createDocsRoute(): Route {
  let page: Promise<StaticDocument> | undefined;
  return defineRoute({
    method: 'GET',
    path: '/docs',
    auth: 'none',
    summary: 'This description as a page for people',
    description: 'This page. It loads nothing from other hosts.',
    media: 'text/html',
    replies: { 200: Text },
    refusals: [],
    async handle() {
      page ??= buildPage().then(toDocument);
      const { bytes: body, etag } = await page;
      return { status: 200, body, etag };
    },
  });
}

/** The route that serves the description of all routes, itself included. */
export function createOpenApiRoute(routes: readonly Route[]): Route {
  let document: StaticDocument | undefined;
  const route: Route = defineRoute({
    method: 'GET',
    path: '/openapi.json',
    auth: 'none',
    summary: 'This description',
    description: 'OpenAPI 3.1, made of the schemas that validate the requests.',
    media: 'application/json',
    replies: { 200: Document },
    refusals: [],
    async handle() {
      document ??= toDocument(JSON.stringify(describeRoutes([...routes, route])));
      const { bytes: body, etag } = document;
      return { status: 200, body, etag };
    },
  });
  return route;
}

/** A text that is the same for every caller until the process ends, built once. */
interface StaticDocument {
  /** Shared by all answers: a client that does not read holds no copy. */
  readonly bytes: Buffer;
  /** A strong entity tag. */
  readonly etag: string;
}

function toDocument(text: string): StaticDocument {
  const bytes = Buffer.from(text);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return { bytes, etag };
}

/** One file: the only further request is the one for the description. */
async function buildPage(): Promise<string> {
  const read = async (name: string) =>
    await readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`), 'utf8');
  const [script, style] = await Promise.all([read('swagger-ui-bundle.js'), read('swagger-ui.css')]);
  const scripts = [script.replaceAll('</script', '<\\/script'), START];
  const policy = [
    "default-src 'none'",
    `script-src ${scripts.map(hashSource).join(' ')}`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Storage Routing Service</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<noscript>This page needs JavaScript. The description itself is <a href="${DESCRIPTION}">${DESCRIPTION}</a>.</noscript>
<div id="description"></div>
${scripts.map((text) => `<script>${text}</script>`).join('\n')}
</body>
</html>
`;
}

/**
 * The hash source of an inline script
 * (https://www.w3.org/TR/CSP3/#framework-directive-source-list).
 */
function hashSource(script: string): string {
  return `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
}
