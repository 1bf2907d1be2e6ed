export * from './amounts.ts';
export * from './audits.ts';
export * from './bands.ts';
export * from './csv.ts';
export * from './recommendations.ts';
export * from './storage-classes.ts';
export * from './text.ts';
export * from './units.ts';
