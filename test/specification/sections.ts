import type { Section } from './statement.ts';
import { BUSINESS_ENDPOINTS } from './statements/business-endpoints.ts';
import { DASHBOARD_ENDPOINTS } from './statements/dashboard-endpoints.ts';
import { LIMITS } from './statements/limits.ts';
import { AUTHENTICATION, ERRORS } from './statements/refusals.ts';
import { RETRIES } from './statements/retries.ts';
import { SCAN_RESOURCES } from './statements/scan-resources.ts';
import { SCANNER_SEQUENCE, UPLOAD_SEQUENCE } from './statements/sequences.ts';
import { INTRODUCTION, SERVICE } from './statements/service.ts';
import { SERVICE_ENDPOINTS } from './statements/service-endpoints.ts';
import { STATES } from './statements/states.ts';
import { UPLOAD_RESOURCES } from './statements/upload-resources.ts';
import { EVENTS, VERSIONING } from './statements/versions.ts';

/** The whole specification, in its own order. */
export const SECTIONS: readonly Section[] = [
  INTRODUCTION,
  SERVICE,
  { heading: 'Resources and their fields', statements: [...UPLOAD_RESOURCES, ...SCAN_RESOURCES] },
  STATES,
  {
    heading: 'Endpoints',
    statements: [...SERVICE_ENDPOINTS, ...DASHBOARD_ENDPOINTS, ...BUSINESS_ENDPOINTS],
  },
  UPLOAD_SEQUENCE,
  SCANNER_SEQUENCE,
  RETRIES,
  AUTHENTICATION,
  EVENTS,
  ERRORS,
  LIMITS,
  VERSIONING,
];
