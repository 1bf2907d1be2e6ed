import type { Lifecycle } from '../../domain/inventory/inventory.ts';
import { XmlReader } from '../object-store/xml.ts';

/** Whether a bucket keeps the versions that were replaced; a suspended one still has the earlier ones. */
export type Versioning = 'off' | 'kept';

/** @throws MalformedAnswer */
export function readVersioning(body: Buffer): Versioning {
  const reader = new XmlReader(body.toString('utf8'));
  let versioning: Versioning = 'off';
  reader.openDocument('VersioningConfiguration');
  while (reader.open()) {
    if (reader.is('Status')) {
      const status = reader.text().trim();
      if (status === 'Enabled' || status === 'Suspended') versioning = 'kept';
    } else reader.skip();
  }
  return versioning;
}

/**
 * What a bucket's rules do about incomplete uploads. Only a rule that is enabled and not narrowed to
 * a prefix, a tag or a size speaks for the whole bucket.
 *
 * @throws MalformedAnswer
 */
export function readLifecycle(body: Buffer): Lifecycle {
  const reader = new XmlReader(body.toString('utf8'));
  let lifecycle: Lifecycle = 'none';
  reader.openDocument('LifecycleConfiguration');
  while (reader.open()) {
    if (!reader.is('Rule')) reader.skip();
    else if (abortsEverywhere(reader)) lifecycle = 'with_abort';
    else if (lifecycle === 'none') lifecycle = 'without_abort';
  }
  return lifecycle;
}

function abortsEverywhere(reader: XmlReader): boolean {
  let isEnabled = false;
  let aborts = false;
  let isNarrowed = false;
  while (reader.open()) {
    if (reader.is('Status')) isEnabled = reader.text().trim() === 'Enabled';
    else if (reader.is('Prefix')) isNarrowed ||= reader.text() !== '';
    else if (reader.is('Filter')) isNarrowed = narrows(reader) || isNarrowed;
    else if (reader.is('AbortIncompleteMultipartUpload')) aborts = hasDays(reader) || aborts;
    else reader.skip();
  }
  return isEnabled && aborts && !isNarrowed;
}

/** An empty prefix is no narrowing, neither in the filter nor in its `And`. */
function narrows(reader: XmlReader): boolean {
  let isNarrowed = false;
  while (reader.open()) {
    if (reader.is('Prefix')) isNarrowed = reader.text() !== '' || isNarrowed;
    else if (reader.is('And')) isNarrowed = narrows(reader) || isNarrowed;
    else {
      reader.skip();
      isNarrowed = true;
    }
  }
  return isNarrowed;
}

function hasDays(reader: XmlReader): boolean {
  let hasDays = false;
  while (reader.open()) {
    if (reader.is('DaysAfterInitiation')) hasDays = Number(reader.text()) > 0;
    else reader.skip();
  }
  return hasDays;
}
