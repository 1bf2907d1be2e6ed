import * as fc from 'fast-check';
import { expectedOf } from './test/oracle/expected.ts';
import { withPrices } from './test/oracle/prices.ts';
import { morePrices } from './test/oracle/other-stores.ts';
import { listingAmongMore, MORE_SOURCES } from './test/unit/oracle/listings.ts';
for(let seed=5;seed<40;seed++){
const met=new Set<string>();
for(const x of fc.sample(listingAmongMore,{numRuns:300,seed})){
 if(met.has('from '+x.source)&&!['aws'].includes(x.source!))continue;
 const {recommendations}=withPrices(morePrices,()=>expectedOf(x));
 for(const r of recommendations)if(r.kind==='move'){met.add('from '+x.source);met.add('to '+r.recommendedProvider)}
}
const missing=MORE_SOURCES.filter(s=>!met.has('from '+s));console.log(seed,missing.join());if(missing.length===0&&met.has('to b2'))break;}
