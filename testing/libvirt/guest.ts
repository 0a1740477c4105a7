import { randomUUID } from 'node:crypto'

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

const escapeXml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '')

export interface Guest {
  readonly name: string
  readonly uuid?: string
  readonly kernel: string
  readonly initrd: string
  /** Where its console is written. */
  readonly log: string
  /** Further elements of the domain, and of its devices. */
  readonly elements?: string
  readonly devices?: string
}

/** A small machine that QEMU emulates: KVM would need more than a container has. */
export function describeGuest(guest: Guest): string {
  const { name, uuid = randomUUID(), kernel, initrd, log, elements = '', devices = '' } = guest
  return `<domain type='qemu'>
  <name>${escapeXml(name)}</name>
  <uuid>${uuid}</uuid>
  <memory unit='MiB'>96</memory>
  <vcpu>1</vcpu>
  <os>
    <type arch='x86_64' machine='pc'>hvm</type>
    <kernel>${kernel}</kernel>
    <initrd>${initrd}</initrd>
    <cmdline>console=ttyS0 quiet</cmdline>
  </os>
  ${elements}
  <devices>
    <serial type='file'><source path='${log}'/></serial>
    ${devices}
  </devices>
</domain>`
}
