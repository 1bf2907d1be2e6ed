import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whether an address is one of the public internet. All else is refused where a customer chooses
 * the host: a request of the service reaches networks that the customer cannot.
 *
 * | refused                                                        | such as                       |
 * | -------------------------------------------------------------- | ----------------------------- |
 * | this host, this network, private, link-local, shared (RFC 6598) | 127.0.0.1, 10.0.0.1, 169.254.169.254, 100.64.0.1 |
 * | multicast, broadcast, reserved, for documents and benchmarks   | 224.0.0.1, 240.0.0.1, 192.0.2.1 |
 * | unique-local and every other IPv6 address outside of 2000::/3  | fc00::1, fe80::1, ::1         |
 * | those that a cloud answers to its own machines only             | 168.63.129.16                 |
 * | IPv6 forms of IPv4 addresses: mapped, compatible, NAT64, 6to4, Teredo | ::ffff:127.0.0.1, 64:ff9b::7f00:1, 2002:7f00:1::, 2001::1 |
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  if (ipaddr.parse(address).range() !== 'unicast') return false;
  if (isIP(address) === 6) return ipaddr.IPv6.parse(address).match(GLOBAL_UNICAST);
  const parsed = ipaddr.IPv4.parse(address);
  return !OF_CLOUDS.some((range) => parsed.match(range));
}

/**
 * In public ranges, and reached by the machines of one cloud only.
 *
 * | addresses                        | service, and where it is described |
 * | -------------------------------- | ---------------------------------- |
 * | 168.63.129.16                    | Azure's DNS, DHCP and agents: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16 |
 * | 161.26.0.0/16, 166.8.0.0/14      | IBM Cloud's private network: https://cloud.ibm.com/docs/vpc?topic=vpc-service-endpoints-for-vpc |
 * | 192.80.8.124                     | Equinix Metal's metadata: metadata.platformequinix.com |
 * | 199.36.153.4/30, 199.36.153.8/30 | Google's APIs within a VPC: https://cloud.google.com/vpc/docs/configure-private-google-access |
 */
const OF_CLOUDS = [
  '168.63.129.16/32',
  '161.26.0.0/16',
  '166.8.0.0/14',
  '192.80.8.124/32',
  '199.36.153.4/30',
  '199.36.153.8/30',
].map((range) => ipaddr.IPv4.parseCIDR(range));

/** IPv6 addresses are assigned from it: https://www.iana.org/assignments/ipv6-address-space */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
