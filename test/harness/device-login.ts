import assert from 'node:assert/strict';

/** A person's browser at the local identity provider: cookies, forms, no script. */
function createBrowser() {
  const cookies = new Map<string, string>();
  return async function open(url: string, form?: Record<string, string>): Promise<Response> {
    const response = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      body: form === undefined ? null : new URLSearchParams(form),
      redirect: 'manual',
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    return location === null ? response : await open(new URL(location, url).href);
  };
}

/** Enters the code of a device, and agrees as this user, or refuses where there is none. @returns the last page */
export async function enterDeviceCode(
  verificationUri: string,
  userCode: string,
  user: string | undefined,
): Promise<string> {
  const open = createBrowser();
  const xsrf = /name="xsrf" value="(\w+)"/;
  const [, first = assert.fail('no form')] = xsrf.exec(await textOf(open(verificationUri))) ?? [];
  const asked = await textOf(open(verificationUri, { xsrf: first, user_code: userCode }));
  const [, second] = xsrf.exec(asked) ?? [];
  if (second === undefined) return asked;
  assert.ok(asked.includes(userCode), asked);
  const form = { xsrf: second, user_code: userCode, confirm: 'yes' };
  if (user === undefined) return await textOf(open(verificationUri, { ...form, abort: 'yes' }));
  const login = await open(verificationUri, form);
  return await textOf(open(login.url, { user }));
}

async function textOf(response: Promise<Response>): Promise<string> {
  return await (await response).text();
}
