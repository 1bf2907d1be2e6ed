import { writeFile } from 'node:fs/promises';
import { BUNDLES, builtBundle, makeWorkflowBundle } from './bundle.ts';

/** Part of `npm run build`. */
for (const features of BUNDLES) {
  const { code } = await makeWorkflowBundle(features);
  await writeFile(builtBundle(features), code);
}
