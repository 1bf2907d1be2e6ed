/** The storage classes by the names that their providers give them. */
const TITLES: ReadonlyMap<string, string> = new Map([
  ['aws/STANDARD', 'S3 Standard'],
  ['aws/REDUCED_REDUNDANCY', 'S3 Reduced Redundancy'],
  ['aws/INTELLIGENT_TIERING', 'S3 Intelligent-Tiering'],
  ['aws/STANDARD_IA', 'S3 Standard-IA'],
  ['aws/ONEZONE_IA', 'S3 One Zone-IA'],
  ['aws/EXPRESS_ONEZONE', 'S3 Express One Zone'],
  ['aws/GLACIER_IR', 'S3 Glacier Instant Retrieval'],
  ['aws/GLACIER', 'S3 Glacier Flexible Retrieval'],
  ['aws/DEEP_ARCHIVE', 'S3 Glacier Deep Archive'],
  ['r2/STANDARD', 'R2 Standard'],
  ['r2/STANDARD_IA', 'R2 Infrequent Access'],
]);

/** `S3 Glacier Instant Retrieval`; one without a name by its code, null as `another one`. */
export function classTitle(provider: string | null, storageClass: string | null): string {
  return TITLES.get(`${provider}/${storageClass}`) ?? storageClass ?? 'another one';
}
