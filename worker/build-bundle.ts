import { writeFile } from 'node:fs/promises';
import { BUILT_BUNDLE, makeWorkflowBundle } from './bundle.ts';

/** Part of `npm run build`. */
const { code } = await makeWorkflowBundle();
await writeFile(BUILT_BUNDLE, code);
