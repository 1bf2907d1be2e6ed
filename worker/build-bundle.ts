import { writeFile } from 'node:fs/promises';
import { BUILT_BUNDLE, makeWorkflowBundle } from './bundle.ts';

/** Part of `npm run build`. */
await writeFile(BUILT_BUNDLE, (await makeWorkflowBundle()).code);
