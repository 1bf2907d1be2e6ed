import Koa, { type Context } from 'koa';
import { ValueError, type Payload, type PayloadCodec } from '@temporalio/common';
import { Type, type Static } from 'typebox';
import type { VerifyToken } from '../../adapters/identity/token-verifier.ts';
import type { Logger } from '../../adapters/telemetry/logger.ts';
import type { RequestScope } from '../../adapters/telemetry/request-scope.ts';
import { AppError } from '../../domain/common/errors.ts';
import {
  logAccess,
  answerErrors,
  allowOrigins,
  nameRequest,
  refuseMethod,
} from '../http/answers.ts';
import { createReadJson } from '../http/body.ts';
import { createValidate } from '../http/validation.ts';

export interface CodecAppDeps {
  readonly codec: PayloadCodec;
  /** The namespace that the keys encrypt. */
  readonly namespace: string;
  /** Accepts the tokens of operators only. */
  readonly verifyToken: VerifyToken;
  /** The origins of Temporal UI. */
  readonly origins: readonly string[];
  readonly requests: RequestScope;
  readonly log: Logger;
}

/** A page of a history has at most 4 MiB, and base64 adds a third. */
const MAX_BODY_BYTES = 8 * 2 ** 20;
const BASE64 = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$';

/** `temporal.api.common.v1.Payloads` in proto3 JSON, in which bytes are base64. */
const Bytes = Type.String({ pattern: BASE64 });
const WirePayload = Type.Object({
  metadata: Type.Optional(Type.Record(Type.String(), Bytes)),
  data: Type.Optional(Bytes),
});
const WirePayloads = Type.Object({ payloads: Type.Optional(Type.Array(WirePayload)) });

/**
 * Temporal's codec server protocol: `POST /codec/encode` and `/codec/decode` with `Payloads` as
 * JSON (https://docs.temporal.io/production-deployment/data-encryption).
 */
export function createCodecApp(deps: CodecAppDeps): Koa {
  const app = new Koa();
  app.use(nameRequest(deps.requests));
  app.use(logAccess(deps.log, { observe: () => {} }));
  app.use(answerErrors(() => false));
  app.use(allowOrigins(deps.origins));
  app.use(createServe(deps));
  app.on('error', (error: unknown) => deps.log.error({ err: error }, 'answer failed'));
  return app;
}

function createServe({ codec, namespace, verifyToken }: CodecAppDeps): Koa.Middleware {
  const readJson = createReadJson(MAX_BODY_BYTES);
  const validate = createValidate();
  const routes = new Map<string, readonly [method: string, handle: Koa.Middleware]>([
    ['/health', ['GET', (ctx) => void (ctx.body = { status: 'ok' })]],
    ['/codec/encode', ['POST', convert((payloads) => codec.encode(payloads))]],
    ['/codec/decode', ['POST', convert((payloads) => codec.decode(payloads))]],
  ]);

  function convert(apply: (payloads: Payload[]) => Promise<Payload[]>): Koa.Middleware {
    return async (ctx) => {
      await verifyToken(readBearer(ctx));
      const asked = ctx.get('x-namespace');
      if (asked !== '' && asked !== namespace)
        throw new AppError('invalid_request', `The keys are of the namespace ${namespace}.`);
      const { value } = (await readJson(ctx)) ?? { value: {} };
      validate(WirePayloads, value);
      const { payloads = [] } = value as Static<typeof WirePayloads>;
      ctx.body = { payloads: (await applyTo(payloads.map(fromWire), apply)).map(toWire) };
    };
  }

  return async (ctx, next) => {
    const route = routes.get(ctx.path);
    if (!route) throw new AppError('not_found');
    const [method, handle] = route;
    if (ctx.method !== method) refuseMethod(ctx, [method]);
    await handle(ctx, next);
  };
}

/** @throws AppError `invalid_request` that names the key of a payload that cannot be decrypted */
async function applyTo(
  payloads: Payload[],
  apply: (payloads: Payload[]) => Promise<Payload[]>,
): Promise<Payload[]> {
  try {
    return await apply(payloads);
  } catch (cause) {
    if (cause instanceof ValueError)
      throw new AppError('invalid_request', cause.message, { cause });
    throw cause;
  }
}

/** @throws AppError `unauthorized` */
function readBearer(ctx: Context): string {
  const [, token] = /^Bearer ([\w.~+/=-]{1,8192})$/i.exec(ctx.get('authorization')) ?? [];
  if (token === undefined) throw new AppError('unauthorized');
  return token;
}

function fromWire({ metadata = {}, data = '' }: Static<typeof WirePayload>): Payload {
  const entries = Object.entries(metadata).map(([name, value]) => [name, toBytes(value)] as const);
  return { metadata: Object.fromEntries(entries), data: toBytes(data) };
}

function toWire({ metadata, data }: Payload): Static<typeof WirePayload> {
  const entries = Object.entries(metadata ?? {}).map(([name, value]) => [name, toText(value)]);
  return { metadata: Object.fromEntries(entries) as Record<string, string>, data: toText(data) };
}

function toBytes(text: string): Buffer {
  return Buffer.from(text, 'base64');
}

function toText(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('base64');
}
