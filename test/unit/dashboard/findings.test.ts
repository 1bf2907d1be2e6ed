import assert from 'node:assert/strict';
import { wordsOfConfidence } from '../../../dashboard/src/format/confidence.ts';
import { FINDING_CODES, wordsOfFinding } from '../../../dashboard/src/format/findings.ts';
import { FINDING_CODES as CODES_OF_THE_SERVICE } from '../../../domain/inventory/finding.ts';

describe('the words of the dashboard about an audit', () => {
  it('has a title and advice for each finding of the service, in its order', () => {
    assert.deepEqual(FINDING_CODES, CODES_OF_THE_SERVICE);
    for (const code of FINDING_CODES) assert.match(wordsOfFinding(code).advice, /\.$/);
    assert.equal(wordsOfFinding('a_code_of_tomorrow').title, 'a_code_of_tomorrow');
  });

  it('has four levels of confidence for the tenths from 0.1 to 0.9', () => {
    const levels = [0.1, 0.3, 0.5, 0.7, 0.9].map(
      (confidence) => wordsOfConfidence(confidence).level,
    );
    assert.deepEqual(levels, ['Low', 'Low', 'Fair', 'Good', 'High']);
  });
});
