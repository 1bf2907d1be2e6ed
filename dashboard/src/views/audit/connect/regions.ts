/** AWS's commercial regions, by part of the world. */
const PARTS = {
  America: 'us-east-1 us-east-2 us-west-1 us-west-2 ca-central-1 ca-west-1 mx-central-1 sa-east-1',
  Europe:
    'eu-central-1 eu-central-2 eu-north-1 eu-south-1 eu-south-2 eu-west-1 eu-west-2 eu-west-3',
  'Asia and the Pacific': `ap-east-1 ap-east-2 ap-northeast-1 ap-northeast-2 ap-northeast-3
    ap-south-1 ap-south-2 ap-southeast-1 ap-southeast-2 ap-southeast-3 ap-southeast-4
    ap-southeast-5 ap-southeast-6 ap-southeast-7`,
  'Middle East and Africa': 'af-south-1 il-central-1 me-central-1 me-south-1',
};

export const REGIONS = Object.entries(PARTS).map(
  ([part, names]) => [part, names.split(/\s+/)] as const,
);
export const ALL_REGIONS: readonly string[] = REGIONS.flatMap(([, names]) => names);
