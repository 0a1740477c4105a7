import type { Server } from '@muster/contract'
import type { IconName } from '../ui/icon.tsx'

export interface PaletteOption {
  readonly id: string
  readonly group: 'servers' | 'pages' | 'actions'
  readonly icon: IconName
  readonly name: string
  readonly hint?: string
  readonly run: () => void
}

type Found = Partial<Server>

/** A server as an option: its name, with address, project and status as a hint. */
export function serverOption(server: Found, open: (id: string) => void): PaletteOption {
  const { id = '', name = '', ips = '', project = '', status = '' } = server
  const [address] = ips.split(',')
  return {
    id: `server ${id}`,
    group: 'servers',
    icon: 'servers',
    name,
    hint: [address, project, status].filter(Boolean).join(' · '),
    run: () => open(id),
  }
}

/** Options whose name or hint contains every word. */
export function matching(options: readonly PaletteOption[], text: string): PaletteOption[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return options.filter(({ name, hint = '' }) => {
    const searchable = `${name} ${hint}`.toLowerCase()
    return words.every((word) => searchable.includes(word))
  })
}

/** The selected option by its ID, since the list changes; otherwise the first. */
export const chosenOf = (
  options: readonly PaletteOption[],
  id: string | undefined,
): PaletteOption | undefined => options.find((option) => option.id === id) ?? options[0]

/** The next or previous option; wraps around. */
export function stepFrom(
  options: readonly PaletteOption[],
  from: PaletteOption | undefined,
  step: number,
): PaletteOption | undefined {
  if (!from) return undefined
  return options[(options.indexOf(from) + step + options.length) % options.length]
}
