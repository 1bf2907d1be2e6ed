import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type Provider from 'oidc-provider';
import type { Configuration } from 'oidc-provider';
import type { IdentityUser } from './users.ts';

export const LOGIN_PATH = '/login/';

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;margin:10vh auto;max-width:24rem;padding:0 1rem;color-scheme:light dark}' +
  'button{font:inherit;display:block;width:100%;padding:.75rem;margin:.75rem 0}';

/** A page without scripts. */
export function renderPage(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body><main><h1>${title}</h1>${content}</main></body>
</html>
`;
}

type DeviceFlow = NonNullable<NonNullable<Configuration['features']>['deviceFlow']>;

/** The pages of a login on another device (RFC 8628): the code, its confirmation, the end. */
export const devicePages: DeviceFlow = {
  enabled: true,
  userCodeInputSource(ctx, form, _out, error) {
    const notice = error ? '<p>That code is not valid, or no longer.</p>' : '';
    const button = '<button form="op.deviceInputForm">Continue</button>';
    ctx.body = renderPage('Enter the code', `${notice}${form}${button}`);
  },
  userCodeConfirmSource(ctx, form, client, _device, userCode) {
    const button = (name: string, text: string): string =>
      `<button form="op.deviceConfirmForm"${name}>${text}</button>`;
    ctx.body = renderPage(
      `Log in to ${client.clientName ?? client.clientId}?`,
      `<p>The code there has to be <strong>${userCode}</strong>.</p>${form}` +
        button('', 'It is: log in') +
        button(' name="abort" value="yes"', 'Refuse'),
    );
  },
  successSource(ctx) {
    ctx.body = renderPage('Logged in', '<p>Go back to where you began.</p>');
  },
};

/** The login page of an interaction: one button per user, no password. */
export async function answerLogin(
  provider: Provider,
  users: readonly IdentityUser[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'POST') {
    const name = new URLSearchParams(await text(request)).get('user');
    const user = users.find((each) => each.name === name);
    if (user) {
      const login = { accountId: user.subject };
      return await provider.interactionFinished(request, response, { login });
    }
  }
  await provider.interactionDetails(request, response);
  const buttons = users.map(
    ({ name, account, role }) =>
      `<button name="user" value="${name}">Log in as ${name} (account ${account}, ${role})</button>`,
  );
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.setHeader('cache-control', 'no-store');
  response.end(
    renderPage(
      'Local identity provider',
      `<p>For development: users have no password.</p><form method="post">${buttons.join('')}</form>`,
    ),
  );
}
