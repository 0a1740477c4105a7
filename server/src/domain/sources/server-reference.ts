import type { Server } from '@muster/contract'
import { tagsOf } from '../inventory/metadata.ts'
import type { ServerReference } from './source.ts'

/** Makes the reference by which a source finds a stored server again. */
export function referenceOf(server: Server): ServerReference {
  const notes = tagsOf(server.metadata, 'notes')
  return {
    externalId: server.external_id,
    name: server.name,
    regionId: server.region_ext_id,
    zoneId: server.zone_ext_id,
    hostId: server.host_id,
    tenantId: notes['tenant'] ?? '',
    notes,
  }
}
