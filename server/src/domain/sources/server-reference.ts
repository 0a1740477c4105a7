import type { Server } from '@muster/contract'
import { tagsOf } from '../inventory/metadata.ts'
import type { ServerReference } from './source.ts'

/** What a source needs to find a stored server again. */
export const referenceOf = (server: Server): ServerReference => ({
  externalId: server.external_id,
  regionId: server.region_ext_id,
  zoneId: server.zone_ext_id,
  hostId: server.host_id,
  tenantId: tagsOf(server.metadata, 'notes')['tenant'] ?? '',
})
