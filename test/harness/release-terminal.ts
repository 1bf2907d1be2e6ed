import assert from 'node:assert/strict';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { opened } from './opened.ts';
import { startDouble } from './aws-double.ts';
import { openTerminal, writeProgram } from './pasted-commands.ts';
import { programPath } from './programs.ts';

const OWN_SETTINGS = '[default]\ns3 =\n  addressing_style = virtual\n';

export interface ReleaseOwner {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of the service. */
  readonly baseUrl: string;
  readonly token: string;
}

/**
 * The terminals of owners who delete a source. Their own settings name another store and another form of addresses, which
 * the commands must not depend on.
 */
export const releaseTerminals = () =>
  opened(async () => {
    const decoy = await startDouble();
    return {
      decoy,
      async open({ baseUrl, token, ...user }: ReleaseOwner, more: Record<string, string> = {}) {
        const folder = await mkdtemp(join(tmpdir(), 'owner-'));
        const [config, calls] = [join(folder, 'config'), join(folder, 'calls')];
        await writeFile(config, OWN_SETTINGS);
        for (const name of ['curl', 'jq'])
          await writeProgram(
            folder,
            name,
            `echo ${name} "$@" >>'${calls}'; exec '${programPath(name)}' "$@"`,
          );
        // Between two attempts.
        await writeProgram(folder, 'sleep', 'exit');
        const { paste } = await openTerminal(programPath('aws') ?? '', null, user, {
          PATH: [folder, process.env['PATH']].join(delimiter),
          AWS_CONFIG_FILE: config,
          AWS_ENDPOINT_URL_S3: decoy.s3Endpoint,
          SRS_BASE_URL: baseUrl,
          SRS_DASHBOARD_TOKEN: token,
          ...more,
        });
        return {
          async paste(commands: readonly string[]) {
            const printed = await paste(commands.join('\n'));
            assert.deepEqual(decoy.counts().byOperation, {}, 'a command has left its store');
            assert.equal(await readFile(config, 'utf8'), OWN_SETTINGS);
            return printed;
          },
          /** The arguments of curl and jq, which every user of the machine may see. */
          calls: async () => await readFile(calls, 'utf8'),
        };
      },
      close: () => decoy.close(),
    };
  });
