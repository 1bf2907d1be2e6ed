import { acceptance, type NamedTest } from '../statement.ts';

/** What holds for every endpoint, as the suites over all of them hold it for this one. */
export function everywhere(name: string): NamedTest[] {
  return [
    ...acceptance(
      'openapi',
      `The description at /openapi.json says who may call ${name}, and with what`,
    ),
    ...acceptance('authentication', `Authentication ${name} asks who is calling …`),
    ...acceptance('requests', `Requests ${name} refuses what is not in its form …`),
  ];
}
