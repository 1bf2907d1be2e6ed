import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whether an address is one of the public internet. All else is refused where a customer chooses the host: a request
 * of the service reaches networks that the customer cannot.
 *
 * | refused                                                        | such as                       |
 * | -------------------------------------------------------------- | ----------------------------- |
 * | this host, this network, private, link-local, shared (RFC 6598) | 127.0.0.1, 10.0.0.1, 169.254.169.254, 100.64.0.1 |
 * | multicast, broadcast, reserved, for documents and benchmarks   | 224.0.0.1, 240.0.0.1, 192.0.2.1 |
 * | unique-local and every other IPv6 address outside of 2000::/3  | fc00::1, fe80::1, ::1         |
 * | IPv6 forms of IPv4 addresses: mapped, compatible, NAT64, 6to4, Teredo | ::ffff:127.0.0.1, 64:ff9b::7f00:1, 2002:7f00:1::, 2001::1 |
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv4') return true;
  return ipaddr.IPv6.parse(address).match(GLOBAL_UNICAST);
}

/** The only part of IPv6 from which addresses are assigned: https://www.iana.org/assignments/ipv6-address-space */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
