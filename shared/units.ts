/** A month of storage and of reads, in days. */
export const DAYS_PER_MONTH = 30;
/** A GB of sizes, plans and transfer, as people read them. */
export const BYTES_PER_DECIMAL_GB = 1e9;
/** A GB of storage and requests, as providers bill them. */
export const BYTES_PER_BILLED_GB = 2 ** 30;
