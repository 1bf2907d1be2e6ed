import assert from 'node:assert/strict';
import type { Stack } from '../../../dev/stack.ts';
import type { Customer } from '../../harness/customer.ts';

const SIZE = 9 * 2 ** 20;
const PART = 8 * 2 ** 20;

interface Stage {
  readonly customer: Customer;
  readonly stack: Stack;
}

/** What happens before the kill; the last call is not awaited. */
export const STORIES = {
  async complete({ customer }: Stage) {
    const { fileId } = await customer.send();
    return { fileId, go: () => customer.complete(fileId) };
  },
  async 'complete of parts'({ customer }: Stage) {
    const fileId = await sendInParts(customer, [1, 2]);
    return { fileId, go: () => customer.complete(fileId) };
  },
  async 'delete of a pending file'({ customer }: Stage) {
    const { fileId } = await customer.send();
    return { fileId, go: () => customer.delete(fileId) };
  },
  async 'delete of an active file'({ customer }: Stage) {
    const { fileId } = await customer.send();
    assert.equal((await customer.complete(fileId)).status, 200);
    return { fileId, go: () => customer.delete(fileId) };
  },
  async 'delete of parts'({ customer }: Stage) {
    const fileId = await sendInParts(customer, [1]);
    return { fileId, go: () => customer.delete(fileId) };
  },
  'init of parts': ({ customer }: Stage) =>
    Promise.resolve({ fileId: undefined, go: () => initInParts(customer) }),
  async expiry({ customer }: Stage) {
    const { fileId } = await customer.init();
    return { fileId, go: nothing };
  },
  async 'expiry of parts'({ customer }: Stage) {
    return { fileId: await sendInParts(customer, [1]), go: nothing };
  },
  async 'bytes without a complete'({ customer }: Stage) {
    return { fileId: (await customer.send()).fileId, go: nothing };
  },
  async 'delete that the store refused'({ customer, stack }: Stage) {
    const { fileId } = await customer.send();
    assert.equal((await customer.complete(fileId)).status, 200);
    stack.cloud?.double.addFault({ effect: 'internal_error', operation: 'DeleteObject', times: 1 });
    return {
      fileId,
      go: async () => assert.equal((await customer.delete(fileId)).status, 202),
    };
  },
  async 'late PUT after a delete'({ customer }: Stage) {
    const upload = await customer.init();
    const { fileId } = upload;
    assert.equal((await customer.delete(fileId)).status, 200);
    await customer.put(upload);
    return { fileId, go: nothing };
  },
};

const nothing = () => Promise.resolve();

async function initInParts(customer: Customer): Promise<string> {
  const body = { fileName: 'a.bin', contentType: 'a/b', fileSizeBytes: SIZE, multipart: true };
  const answer = await customer.call('POST /v1/upload/init', body);
  assert.equal(answer.status, 201, answer.text);
  return String(answer.body['fileId']);
}

async function sendInParts(customer: Customer, partNumbers: readonly number[]): Promise<string> {
  const fileId = await initInParts(customer);
  const answer = await customer.call('POST /v1/upload/parts', { fileId, partNumbers });
  assert.equal(answer.status, 200, answer.text);
  for (const part of answer.body['parts'] as { partNumber: number; presignedUrl: string }[]) {
    const body = Buffer.alloc(part.partNumber === 1 ? PART : SIZE - PART);
    assert.equal((await fetch(part.presignedUrl, { method: 'PUT', body })).status, 200);
  }
  return fileId;
}
