import type { Image, Instance } from '@aws-sdk/client-ec2'

/** What it did boot with, else what it is told to; without either its processor decides. */
export function biosOf(instance: Instance, image: Image | undefined): string {
  const { CurrentInstanceBootMode, BootMode = image?.BootMode, Architecture = '' } = instance
  const mode = CurrentInstanceBootMode ?? (BootMode === 'uefi-preferred' ? 'uefi' : BootMode)
  if (mode !== undefined) return mode === 'uefi' ? 'UEFI' : 'BIOS'
  return Architecture.startsWith('arm64') ? 'UEFI' : 'BIOS'
}
