import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { JSDOM, VirtualConsole } from 'jsdom';
import { startApi, type ApiHarness } from '../../contract/api-harness.ts';
import { describeApi } from '../../contract/described-api.ts';

const RENDERED_WITHIN_MS = 20_000;

describe('the page at /docs', () => {
  let harness: ApiHarness;
  let page: string;
  before(async () => {
    harness = await startApi();
    const answer = await fetch(`${harness.origin}/docs`);
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    page = await answer.text();
  });
  after(async () => await harness.close());

  it('is whole: it asks for its own description, and for nothing else', async () => {
    const { asked, text } = await render(page, harness.origin);
    assert.deepEqual(asked, [`${harness.origin}/openapi.json`]);
    // Of both ways to authenticate; an angle bracket outside code would be swallowed as an element.
    for (const said of ['svc_live_…', 'svc_test_…', 'API key', 'Dashboard token', 'JWT'])
      assert.ok(text.includes(said), `${said} is not visible`);
    for (const { path, summary } of describeApi()) {
      assert.ok(text.includes(summary), `${summary} is not visible`);
      // The page puts invisible breaks between the parts of a path.
      assert.ok(text.replaceAll('\u200B', '').includes(path), `${path} is not visible`);
    }
  });

  it('references no other origin, and allows its own scripts only', () => {
    const document = new JSDOM(page).window.document;
    const linked = [...document.querySelectorAll('[src],link[href]')].map(
      (element) => element.getAttribute('src') ?? element.getAttribute('href') ?? '',
    );
    assert.deepEqual(linked, ['data:,']);
    const policy = document.querySelector('meta[http-equiv]')?.getAttribute('content') ?? '';
    assert.match(policy, /^default-src 'none'; /);
    assert.doesNotMatch(policy, /http|unsafe-eval|\*|script-src[^;]*unsafe/);
    const scripts = [...document.querySelectorAll('script')].map(({ textContent }) => textContent);
    assert.equal(scripts.length, 2);
    for (const script of scripts) {
      const hash = createHash('sha256').update(script).digest('base64');
      assert.ok(policy.includes(`'sha256-${hash}'`));
    }
  });
});

/** Opens the page in jsdom, and waits until it has finished rendering. */
async function render(page: string, origin: string): Promise<{ asked: string[]; text: string }> {
  const asked: string[] = [];
  const dom = new JSDOM(page, {
    url: `${origin}/docs`,
    runScripts: 'dangerously',
    pretendToBeVisual: true,
    virtualConsole: new VirtualConsole(),
    beforeParse(window) {
      window.fetch = async (input) => {
        const url = new URL(
          typeof input === 'object' && 'url' in input ? input.url : input,
          origin,
        );
        asked.push(url.href);
        return await fetch(url);
      };
    },
  });
  const { document } = dom.window;
  const wanted = describeApi().length;
  const deadline = Date.now() + RENDERED_WITHIN_MS;
  while (document.querySelectorAll('.opblock').length < wanted && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 50));
  const text = document.getElementById('description')?.textContent ?? '';
  dom.window.close();
  return { asked, text };
}
