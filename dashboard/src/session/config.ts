/** What the API tells the page before a login. */
export interface PageConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  readonly audience: string;
  readonly audienceParameter: 'resource' | 'audience' | 'none';
  /** Whether plans can be bought. */
  readonly billing: boolean;
}

/** The path of the page; `vite.config.ts` has it too. */
export const BASE_PATH = '/dashboard';

/** @throws Error if the API does not answer */
export async function loadConfig(): Promise<PageConfig> {
  const response = await fetch(`${BASE_PATH}/config.json`);
  if (!response.ok) throw new Error(`the configuration answered ${response.status}`);
  return (await response.json()) as PageConfig;
}
