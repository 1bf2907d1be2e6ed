import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { JSDOM } from 'jsdom';
import { createElement, StrictMode, useLayoutEffect } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import type { UploadCalls } from '../../../sdk/src/index.ts';
import { useUpload, type UseUpload } from '../../../react/src/index.ts';
import { startServer } from '../sdk/servers.ts';

const fileOf = (sizeBytes = 5, name = 'a.txt') => new File([randomBytes(sizeBytes)], name);

/** The functions of a page, and a store. Completes are held until `release`, if `holds` is set. */
async function startCalls({ holds = false } = {}) {
  const store = await startServer((_request, response) => void response.writeHead(200).end());
  const held: (() => void)[] = [];
  const signals: AbortSignal[] = [];
  const listeners = new Set<() => void>();
  let isHeld = holds;
  let inits = 0;
  const calls: UploadCalls = {
    init: async () => {
      inits += 1;
      const fileId = `f-${inits}`;
      return { fileId, presignedUrl: `${store.url}/${fileId}`, requiredHeaders: {} };
    },
    complete: async (fileId, { signal = assert.fail() }) => {
      signals.push(signal);
      for (const listener of listeners) listener();
      if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
      return { fileId, status: 'active', provider: 'r2', fileSizeBytes: 5, completedAt: '' };
    },
    uploadUrl: async (fileId) => ({ presignedUrl: `${store.url}/${fileId}`, requiredHeaders: {} }),
  };
  return {
    calls,
    store,
    /** The signal of each complete. */
    signals,
    inits: () => inits,
    untilCompletes: (count: number) => until(listeners, () => signals.length === count),
    release() {
      isHeld = false;
      for (const resolve of held.splice(0)) resolve();
    },
  };
}

/** Waits until it is so, and looks each time that a listener is called. */
async function until(listeners: Set<() => void>, isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await new Promise<void>((resolve) => {
      listeners.add(resolve);
    });
  }
}

/** Renders a component with the hook in StrictMode; `until` waits for a render that fits. */
function renderHook(calls: UploadCalls) {
  const { window } = new JSDOM('<main></main>');
  Object.assign(globalThis, { window, document: window.document });
  const container: unknown = window.document.querySelector('main');
  const root = createRoot(container as Element);
  const renders: UseUpload[] = [];
  const listeners = new Set<() => void>();
  const Component = ({ calls }: { calls: UploadCalls }) => {
    const state = useUpload(calls);
    useLayoutEffect(() => {
      renders.push(state);
      for (const listener of listeners) listener();
    });
    return null;
  };
  const render = (latest: UploadCalls) =>
    flushSync(() =>
      root.render(createElement(StrictMode, null, createElement(Component, { calls: latest }))),
    );
  render(calls);
  const current = () => renders.at(-1) ?? assert.fail('nothing was rendered');
  return {
    renders,
    current,
    render,
    unmount: () => flushSync(() => root.unmount()),
    until: (fits: (state: UseUpload) => boolean) => until(listeners, () => fits(current())),
  };
}

const isIdle = ({ status }: UseUpload) => status !== 'uploading';
const statusesOf = ({ files }: UseUpload) => files.map(({ status }) => status).join(' ');

/** How it works in a page: `test/browser/react-upload.test.ts`. */
describe('useUpload', () => {
  let errors: unknown[][];
  let print: typeof console.error;
  beforeEach(() => {
    errors = [];
    print = console.error;
    console.error = (...words) => errors.push(words);
  });
  afterEach(() => {
    console.error = print;
    assert.deepEqual(errors, [], 'React has complained');
    Reflect.deleteProperty(globalThis, 'window');
    Reflect.deleteProperty(globalThis, 'document');
  });

  it('uploads in StrictMode, from idle to done, with the same functions in each render', async () => {
    const { calls } = await startCalls();
    const hook = renderHook(calls);
    assert.deepEqual([hook.current().status, hook.current().progress], ['idle', 0]);
    hook.current().upload([fileOf(), fileOf(3)]);
    await hook.until(({ status }) => status === 'done');
    const { files, progress, error } = hook.current();
    assert.deepEqual([progress, error], [1, undefined]);
    assert.deepEqual(
      files.map(({ status, progress, sentBytes, result }) => [
        status,
        progress,
        sentBytes,
        result?.fileId,
      ]),
      [
        ['done', 1, 5, 'f-1'],
        ['done', 1, 3, 'f-2'],
      ],
    );
    for (const name of ['upload', 'cancel', 'resume', 'remove'] as const)
      assert.equal(new Set(hook.renders.map((render) => render[name])).size, 1, name);
  });

  it('uploads a File object once, however often it is given; equal names are two files', async () => {
    const { calls, inits, store, untilCompletes, release } = await startCalls({ holds: true });
    const hook = renderHook(calls);
    const file = fileOf();
    hook.current().upload(file);
    hook.current().upload([file, file]);
    hook.current().upload(fileOf());
    await untilCompletes(2);
    hook.current().resume();
    hook.current().upload(file);
    assert.equal(statusesOf(hook.current()), 'uploading uploading');
    release();
    await hook.until(isIdle);
    assert.equal(statusesOf(hook.current()), 'done done');
    assert.deepEqual([inits(), store.arrived.length], [2, 2]);
  });

  it('cancels on unmount; nothing is rendered or begun afterwards', async () => {
    const { calls, signals, inits, untilCompletes, release } = await startCalls({ holds: true });
    const hook = renderHook(calls);
    hook.current().upload([fileOf(), fileOf(), fileOf(), fileOf()]);
    await untilCompletes(3);
    const { length } = hook.renders;
    hook.unmount();
    assert.ok(signals.every(({ aborted }) => aborted));
    release();
    hook.current().upload(fileOf());
    hook.current().resume();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([hook.renders.length, inits()], [length, 3]);
  });

  it('uploads three files at a time', async () => {
    const { calls, untilCompletes, release } = await startCalls({ holds: true });
    const hook = renderHook(calls);
    hook.current().upload([1, 2, 3, 4, 5].map(() => fileOf()));
    await untilCompletes(3);
    assert.equal(statusesOf(hook.current()), 'uploading uploading uploading waiting waiting');
    hook.current().cancel(2);
    await hook.until((state) => statusesOf(state).endsWith('uploading waiting'));
    release();
    await hook.until(isIdle);
    assert.equal(statusesOf(hook.current()), 'done done done done done');
  });

  it('shows as done what was cancelled too late, if it is not resumed', async () => {
    const { calls, untilCompletes, release } = await startCalls({ holds: true });
    const hook = renderHook(calls);
    hook.current().upload([fileOf(), fileOf()]);
    await untilCompletes(2);
    hook.current().cancel(1);
    await hook.until((state) => statusesOf(state) === 'cancelled uploading');
    release();
    await hook.until(isIdle);
    assert.equal(statusesOf(hook.current()), 'done done');
  });

  it('calls the functions of the latest render, and shows what they throw', async () => {
    const { calls } = await startCalls();
    const init = () => Promise.reject(new Error('the file is too large'));
    const hook = renderHook({ ...calls, init });
    hook.current().upload([fileOf(0), fileOf(0)]);
    await hook.until(({ status }) => status === 'error');
    assert.equal(hook.current().error?.message, 'the file is too large');
    hook.render(calls);
    hook.current().resume(1);
    await hook.until(({ files }) => files[0]?.status === 'done');
    assert.equal(hook.current().progress, 0);
    hook.current().remove(2);
    await hook.until(({ files }) => files.length === 1);
    const { status, progress, error } = hook.current();
    assert.deepEqual([status, progress, error], ['done', 1, undefined]);
    hook.current().remove();
    await hook.until(({ status }) => status === 'idle');
  });
});
