import {
  type CallOptions,
  type StorageRoutingClient,
  WEBHOOK_EVENTS,
  type WebhookRequest,
} from '@storage-routing/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { EXIT, type ExitCode } from '../io/failure.ts';
import { type Invocation, type Perform, show, subcommand } from '../io/invocation.ts';
import { deliveriesText, webhooksText } from '../present/webhooks.ts';

type Event = WebhookRequest['events'][number];
type Format = NonNullable<WebhookRequest['format']>;

interface AddOptions {
  events: Event[];
  format: Format;
}

const FORMATS = ['standard', 'slack'] as const satisfies readonly Format[];
const SECRET_NOTE = 'This is the secret that signs the requests. It is not shown again.';

/** `srs webhooks`, and its `add`, `deliveries`, `test`, `rotate`, `enable` and `remove` */
export function addWebhooks(parent: Command, perform: Perform): void {
  const webhooks = parent.command('webhooks').description('addresses that receive events');
  const listing = 'the webhooks with their events';
  subcommand(webhooks, 'list', listing, { isDefault: true }).action(
    perform(show((client, options) => client.webhooks.list(options), webhooksText)),
  );
  subcommand(webhooks, 'add', 'add one; its secret is printed once')
    .argument('<url>', 'an https address')
    .requiredOption('--events <a,b,…>', 'the events to send', parseEvents)
    .addOption(new Option('--format <format>', 'of the body').choices(FORMATS).default(FORMATS[0]))
    .addHelpText('after', `\nEvents: ${WEBHOOK_EVENTS.join(', ')}`)
    .action(perform(add));
  const works = [
    [
      'deliveries',
      'the last 100 of one, the newest first',
      show(
        (client, options, id: string) => client.webhooks.deliveries(id, options),
        deliveriesText,
      ),
    ],
    ['test', 'send it an event of type webhook.test', test],
    ['rotate', 'print a new secret; the old one signs too for 24 hours', rotate],
    [
      'enable',
      'send events to a disabled one again',
      show(
        (client, options, id: string) => client.webhooks.enable(id, options),
        ({ webhookId }) => `${webhookId}: enabled`,
      ),
    ],
    [
      'remove',
      'remove it with its deliveries',
      show(remove, ({ webhookId }) => `${webhookId}: removed`),
    ],
  ] as const;
  for (const [name, description, work] of works)
    subcommand(webhooks, name, description).argument('<webhookId>').action(perform(work));
}

function parseEvents(text: string): Event[] {
  return text.split(',').map((name) => {
    const event = WEBHOOK_EVENTS.find((each) => each === name.trim());
    if (event !== undefined) return event;
    throw new InvalidArgumentError(`the events are ${WEBHOOK_EVENTS.join(', ')}`);
  });
}

async function add(
  call: Invocation,
  url: string,
  { events, format }: AddOptions,
): Promise<ExitCode> {
  const { webhooks } = await call.client();
  const added = await webhooks.add({ url, events, format }, { signal: call.signal });
  call.print.note(`webhook ${added.webhookId}. ${SECRET_NOTE}`);
  await call.print.result(added, () => added.secret);
  return EXIT.done;
}

async function test(call: Invocation, webhookId: string): Promise<ExitCode> {
  const sent = await (await call.client()).webhooks.test(webhookId, { signal: call.signal });
  await call.print.result(sent, () => sent.eventId);
  call.print.note(`See how it ends: srs webhooks deliveries ${webhookId}`);
  return EXIT.done;
}

async function rotate(call: Invocation, webhookId: string): Promise<ExitCode> {
  const { webhooks } = await call.client();
  const { secret } = await webhooks.rotate(webhookId, { signal: call.signal });
  call.print.note(`${SECRET_NOTE} The old one signs too for 24 hours.`);
  await call.print.result({ webhookId, secret }, () => secret);
  return EXIT.done;
}

async function remove(client: StorageRoutingClient, options: CallOptions, webhookId: string) {
  await client.webhooks.remove(webhookId, options);
  return { webhookId, deleted: true };
}
