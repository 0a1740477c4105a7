import { attributeOf, childOf, childrenOf, numberOf, type XmlElement } from '../shared/parse-xml.ts'

const kinds: readonly (readonly [RegExp, string])[] = [
  [/^(?:pc-)?q35/, 'q35'],
  [/^pc(?:-|$)/, 'pc'],
  [/^virt(?:-|$)/, 'virt'],
]

function machineOf(domain: XmlElement): string {
  const word = attributeOf(childOf(domain, 'os', 'type'), 'machine')
  return kinds.find(([pattern]) => pattern.test(word))?.[1] ?? word
}

function biosOf(domain: XmlElement): string {
  const os = childOf(domain, 'os')
  const loader = childOf(os, 'loader')
  const isUefi =
    attributeOf(os, 'firmware') === 'efi' ||
    attributeOf(loader, 'type') === 'pflash' ||
    childOf(os, 'nvram') !== undefined
  if (isUefi) return 'UEFI'
  // Without other information, only x86 machines have a BIOS.
  return /^(?:x86_64|i686)$/.test(attributeOf(childOf(os, 'type'), 'arch')) ? 'BIOS' : ''
}

const bootLetters: ReadonlyMap<string, string> = new Map(
  Object.entries({ hd: 'c', cdrom: 'd', network: 'n' }),
)

function letterOf({ name, attributes }: XmlElement): string {
  if (name === 'interface') return 'n'
  if (name !== 'disk') return ''
  const device = attributes.get('device') ?? 'disk'
  return device === 'cdrom' ? 'd' : device === 'floppy' ? '' : 'c'
}

/** From the boot order of devices, else of the machine; undefined if neither is set. */
function bootOrderOf(domain: XmlElement): string | undefined {
  const turnOf = (device: XmlElement) => numberOf(attributeOf(childOf(device, 'boot'), 'order'))
  const devices = (childOf(domain, 'devices')?.children ?? [])
    .filter((device) => turnOf(device) > 0)
    .toSorted((one, other) => turnOf(one) - turnOf(other))
  const letters =
    devices.length > 0
      ? devices.map(letterOf)
      : childrenOf(childOf(domain, 'os'), 'boot').map(
          (boot) => bootLetters.get(attributeOf(boot, 'dev')) ?? '',
        )
  const order = [...new Set(letters)].join('')
  return order === '' ? undefined : order
}

const screens: ReadonlyMap<string, string> = new Map(
  Object.entries({ vga: 'std', vmvga: 'vmware', none: '' }),
)

export interface Machine {
  readonly bios: string
  readonly machine: string
  readonly boot_order?: string
  readonly vga: string
  readonly vdi: string
}

export function describeMachine(domain: XmlElement): Machine {
  const devices = childOf(domain, 'devices')
  const screen = attributeOf(childOf(devices, 'video', 'model'), 'type')
  const consoles = childrenOf(devices, 'graphics').map((graphics) => attributeOf(graphics, 'type'))
  const boot_order = bootOrderOf(domain)
  return {
    bios: biosOf(domain),
    machine: machineOf(domain),
    ...(boot_order !== undefined && { boot_order }),
    vga: screens.get(screen) ?? screen,
    vdi: consoles.find((type) => type === 'vnc' || type === 'spice') ?? '',
  }
}
