import { ROUTING, SAMPLE, type Examples } from '../http/examples.ts';

const { fileId } = SAMPLE;
const QUERY =
  'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=…&X-Amz-Date=20261120T120000Z&X-Amz-Expires=3600';
const OBJECT = `https://0f1e2d3c4b5a69788796a5b4c3d2e1f0.r2.cloudflarestorage.com/acme-hot/uploads/${fileId}/chart.png`;

export const UPLOAD_EXAMPLES: Examples = {
  'POST /v1/upload/init': {
    body: {
      fileName: 'chart.png',
      contentType: 'image/png',
      fileSizeBytes: 48_213,
      priority: 'hot',
    },
    replies: {
      201: {
        fileId,
        presignedUrl: `${OBJECT}?${QUERY}&X-Amz-SignedHeaders=content-length%3Bcontent-type%3Bhost&X-Amz-Signature=…`,
        provider: 'r2',
        savedVsAws: 0.000005,
        requiredHeaders: { 'Content-Type': 'image/png' },
        expiresAt: '2026-11-20T13:00:00.000Z',
      },
    },
  },
  'POST /v1/upload/complete': {
    body: { fileId },
    replies: {
      200: {
        fileId,
        status: 'active',
        provider: 'r2',
        fileSizeBytes: 48_213,
        completedAt: '2026-11-20T12:00:04.512Z',
      },
    },
  },
  'POST /v1/upload/url': {
    body: { fileId },
    replies: {
      200: {
        fileId,
        presignedUrl: `${OBJECT}?${QUERY}&X-Amz-SignedHeaders=content-length%3Bcontent-type%3Bhost&X-Amz-Signature=…`,
        requiredHeaders: { 'Content-Type': 'image/png' },
        expiresAt: '2026-11-20T14:30:00.000Z',
      },
    },
  },
  'POST /v1/upload/parts': {
    body: { fileId, partNumbers: [1, 2] },
    replies: {
      200: {
        parts: [1, 2].map((partNumber) => ({
          partNumber,
          sizeBytes: 8_388_608,
          presignedUrl: `${OBJECT}?partNumber=${partNumber}&uploadId=…&${QUERY}&X-Amz-SignedHeaders=content-length%3Bhost&X-Amz-Signature=…`,
        })),
        expiresAt: '2026-11-20T14:30:00.000Z',
      },
    },
  },
  'GET /v1/upload/parts/{fileId}': {
    parameters: { fileId },
    replies: {
      200: {
        items: [
          { partNumber: 1, sizeBytes: 8_388_608, etag: '9b2cf535f27731c974343645a3985328' },
          { partNumber: 3, sizeBytes: 8_388_608, etag: '0f343b0931126a20f133d67c2b018a3b' },
        ],
        next: null,
      },
    },
  },
  'GET /v1/file/{fileId}': {
    parameters: { fileId },
    replies: {
      200: {
        fileId,
        status: 'active',
        fileName: 'chart.png',
        contentType: 'image/png',
        fileSizeBytes: 48_213,
        priority: 'hot',
        provider: 'r2',
        createdAt: '2026-11-20T12:00:00.000Z',
        completedAt: '2026-11-20T12:00:04.512Z',
        routing: ROUTING,
        downloadUrl: `${OBJECT}?response-content-disposition=attachment%3B%20filename%3D%22chart.png%22&${QUERY}&X-Amz-SignedHeaders=host&X-Amz-Signature=…`,
        expiresAt: '2026-11-20T13:05:00.000Z',
      },
    },
  },
  'DELETE /v1/file/{fileId}': {
    parameters: { fileId },
    replies: {
      200: { fileId, status: 'deleted', deletedAt: '2026-11-20T12:10:00.000Z' },
      202: { fileId, status: 'deleting' },
    },
  },
};
