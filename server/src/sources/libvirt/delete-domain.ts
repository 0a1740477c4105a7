import { unlessGone, type Calls } from './calls.ts'
import type { Changes } from './changes.ts'
import { findDeletableVolumes } from './deletable-volumes.ts'
import { undefineFlags } from './protocol.ts'
import type { DomainHandle } from './records.ts'

/** The versions of libvirt that brought these flags. */
const since = { checkpoints: 5_006_000, tpm: 8_009_000 } as const

/** What is deleted with the domain. Without its disks, also its NVRAM and TPM state stay. */
async function flagsFor(calls: Calls, disks: boolean): Promise<number> {
  const version = await calls.libraryVersion()
  const { managedSave, snapshotsMetadata, checkpointsMetadata } = undefineFlags
  const nvram = disks ? undefineFlags.nvram : undefineFlags.keepNvram
  const tpm = disks ? undefineFlags.tpm : undefineFlags.keepTpm
  return (
    managedSave |
    snapshotsMetadata |
    nvram |
    (version >= since.checkpoints ? checkpointsMetadata : 0) |
    (version >= since.tpm ? tpm : 0)
  )
}

/**
 * Switches a domain off and deletes it. The definition goes last: while libvirt has the domain, the deletion is not
 * complete and can be repeated.
 */
export async function deleteDomain(
  { calls, changes }: { readonly calls: Calls; readonly changes: Changes },
  domain: DomainHandle,
  disks: boolean,
): Promise<void> {
  const isTransient = await calls.isTransient(domain)
  const flags = await flagsFor(calls, disks)
  const volumes = disks ? await findDeletableVolumes(calls, domain) : []
  if (domain.id !== -1) await changes.destroy(domain)
  for (const volume of volumes) await unlessGone(changes.deleteVolume(volume))
  if (!isTransient) await changes.undefine({ ...domain, id: -1 }, flags)
}
