import type { Image, Instance } from '@aws-sdk/client-ec2'

/** The boot mode that was used, else the configured one, else the default of the architecture. */
export function biosOf(instance: Instance, image: Image | undefined): string {
  const { CurrentInstanceBootMode, BootMode = image?.BootMode, Architecture = '' } = instance
  const mode = CurrentInstanceBootMode ?? (BootMode === 'uefi-preferred' ? 'uefi' : BootMode)
  if (mode !== undefined) return mode === 'uefi' ? 'UEFI' : 'BIOS'
  return Architecture.startsWith('arm64') ? 'UEFI' : 'BIOS'
}
