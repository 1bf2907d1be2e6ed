import assert from 'node:assert/strict';
import { classTitle } from '../../../sdk/src/index.ts';
import { priceBookData } from '../price-book.ts';

describe('the title of a storage class', () => {
  it('is the name that its provider gives it', () => {
    assert.equal(classTitle('aws', 'GLACIER_IR'), 'S3 Glacier Instant Retrieval');
    assert.equal(classTitle('aws', 'GLACIER'), 'S3 Glacier Flexible Retrieval');
    assert.equal(classTitle('r2', 'STANDARD_IA'), 'R2 Infrequent Access');
  });

  it('is known of every class of the price book that is not the only one of its store', () => {
    for (const provider of ['aws', 'r2'])
      for (const { classes } of Object.values(priceBookData.providers[provider]?.regions ?? {}))
        for (const storageClass of Object.keys(classes))
          assert.notEqual(classTitle(provider, storageClass), storageClass);
  });

  it('is the code of a class without one', () => {
    assert.equal(classTitle('aws', 'SNOW'), 'SNOW');
    assert.equal(classTitle('minio', 'STANDARD'), 'STANDARD');
    assert.equal(classTitle('constructor', 'name'), 'name');
  });
});
