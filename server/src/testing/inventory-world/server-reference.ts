import type { ReportedServer, ServerReference } from '../../domain/sources/source.ts'

/** A reference to a server of which only these ids are known. */
export const referTo = (externalId: string, regionId = ''): ServerReference => ({
  externalId,
  name: '',
  regionId,
  zoneId: '',
  hostId: '',
  tenantId: '',
  notes: {},
})

/** The reference that Muster makes from what a source reported. */
export const referenceOf = ({ facts, tenant }: ReportedServer): ServerReference => ({
  externalId: facts.external_id ?? '',
  name: facts.name,
  regionId: facts.region_ext_id ?? '',
  zoneId: facts.zone_ext_id ?? '',
  hostId: facts.host_id ?? '',
  tenantId: tenant?.id ?? '',
  notes: facts.notes ?? {},
})
