import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { ServiceProcess } from '../../../dev/service.ts';
import { assertRefused, untilLogged, type Customer } from '../../harness/customer.ts';
import { openRecordsOf } from '../../harness/stored-approval.ts';
import { insertMove } from '../../harness/stored-recommendation.ts';
import { localServers, localService } from '../../servers.ts';
import { newCustomer } from '../customers.ts';

const FILE = { fileName: 'report.txt', contentType: 'text/plain', fileSizeBytes: 8 };
const IN_PARTS = { ...FILE, fileSizeBytes: 9 * 2 ** 20, multipart: true };

/** Where a rotation of the keys is half done. The whole rotation: `test/faults/key-rotation.test.ts`. */
describe('an API process that lacks the key of the stored secrets', () => {
  let api: ServiceProcess;
  let customer: Customer;
  before(async () => {
    const other = `k9:${randomBytes(32).toString('base64')}`;
    api = await (await localService()).addApi({ CREDENTIAL_KEYS: other });
    customer = await newCustomer('aws', 'r2', 'b2');
  });
  after(async () => await api.kill());

  it('answers 503 to each call that opens one, changes nothing, and logs what its operator has to do', async () => {
    const [sent, pending] = [await customer.send(), await customer.init()];
    const inParts = await customer.call('POST /v1/upload/init', IN_PARTS);
    const inPartsId = String(inParts.body['fileId']);
    const records = openRecordsOf((await localServers()).stack);
    const recommendationId = await insertMove(records, { accountId: customer.accountId });
    await records.close();
    const move = `/v1/scanner/recommendations/${recommendationId}`;
    const { call, manage } = customer;
    for (const [ask, route, body] of [
      [call, 'POST /v1/upload/init', FILE],
      [call, 'POST /v1/upload/init', IN_PARTS],
      [call, 'POST /v1/upload/url', { fileId: pending.fileId }],
      [call, 'POST /v1/upload/parts', { fileId: inPartsId, partNumbers: [1] }],
      [call, 'POST /v1/upload/complete', { fileId: sent.fileId }],
      [call, 'POST /v1/upload/complete', { fileId: inPartsId }],
      [call, `GET /v1/file/${sent.fileId}`],
      [call, `DELETE /v1/file/${sent.fileId}`],
      [manage, 'POST /v1/providers/test', { provider: 'r2' }],
      [manage, 'POST /v1/scanner/connect', { provider: 'r2' }],
      [manage, `GET ${move}/example-key`],
      [manage, `POST ${move}/approve`, { targetProvider: 'b2' }],
    ] as const)
      assertRefused(await ask(route, body, api.url), { status: 503, code: 'unavailable' }, route);
    await untilLogged(api, 'CREDENTIAL_KEYS of this process lacks the key k1');
    assert.equal((await customer.complete(sent.fileId)).status, 200);
    assert.equal((await customer.delete(sent.fileId)).status, 200);
    // An init that was refused has booked nothing.
    assert.equal(await customer.uploadsBooked(), 3);
  });
});
