import assert from 'node:assert/strict';
import { isIPv6 } from 'node:net';
import * as fc from 'fast-check';
import { addressGroup } from '../../../domain/accounts/rate-limits.ts';

describe('the address that failed calls are counted by', () => {
  for (const [address, group] of [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:207', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::6', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
    ['192.0.2.7:50123', '192.0.2.7'],
    ['[2001:db8:1:2::6]:50123', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::6]', '2001:db8:1:2::/64'],
    ['[::ffff:192.0.2.7]:1', '192.0.2.7'],
    ['[fe80::1%eth0]:443', 'fe80:0:0:0::/64'],
    ['192.0.2.7:port', '192.0.2.7:port'],
    ['', ''],
    ['nonsense', 'nonsense'],
    ['1::2::3', '1::2::3'],
    ['1:2:3:4:5:6:7::8', '1:2:3:4:5:6:7::8'],
    ['x'.repeat(5_000), 'x'.repeat(64)],
  ] as const)
    it(`is ${group || 'empty'} for ${address.slice(0, 70) || 'an empty address'}`, () =>
      assert.equal(addressGroup(address), group));

  it('is the same for all addresses of a /64, and another for every other one', () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.ipV6(), (one, other) => {
        fc.pre(isIPv6(one) && isIPv6(other));
        const prefix = prefixOf(one);
        fc.pre(prefix !== '0:0:0:0');
        assert.equal(addressGroup(one), `${prefix}::/64`);
        assert.equal(addressGroup(one) === addressGroup(other), prefix === prefixOf(other));
      }),
    );
  });
});

/** The first four groups, by another parser. */
function prefixOf(address: string): string {
  const { hostname } = new URL(`http://[${address}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail ? tail.split(':') : [];
  const zeros = Array<string>(tail === undefined ? 0 : 8 - first.length - last.length).fill('0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':');
}
