import type { Server } from '@muster/contract'
import type { IconName } from '../ui/icon.tsx'

interface Shown {
  readonly id: string
  readonly group:
    | 'recent'
    | 'servers'
    | 'projects'
    | 'accounts'
    | 'people'
    | 'views'
    | 'pages'
    | 'actions'
  readonly icon: IconName
  readonly name: string
  readonly hint?: string
}

/** An option leads to a page, which is remembered; or does something; or completes the text. */
export type PaletteOption = Shown &
  (
    | { readonly href: string }
    | { readonly run: () => void }
    /** Replaces the text. */
    | { readonly fill: string }
  )
export type PageOption = Extract<PaletteOption, { readonly href: string }>

type Found = Partial<Server>

/** The address that contains the text, if it can be one. */
const addressLike = (ips: string, text: string): string | undefined =>
  /^[\d.]{4,}$|^[\da-f]*:[\da-f:]+$/i.test(text)
    ? ips.split(',').find((ip) => ip.includes(text.toLowerCase()))
    : undefined

/**
 * A server as an option: its name, with address, project and status as a hint. If an address is looked for, it
 * comes first, with the server and the project that have it.
 */
export function serverOption(server: Found, text = ''): PageOption {
  const { id = '', name = '', ips = '', project = '', status = '' } = server
  const wanted = addressLike(ips, text)
  const [address] = ips.split(',')
  const hint = wanted === undefined ? [address, project, status] : [name, project, status]
  return {
    id: `server ${id}`,
    group: 'servers',
    icon: 'servers',
    name: wanted ?? name,
    hint: hint.filter(Boolean).join(' · '),
    href: `/servers/${encodeURIComponent(id)}`,
  }
}

/** The servers that match a query, as an option. */
export const filterOption = (name: string, q: string): PageOption => ({
  id: 'filter',
  group: 'servers',
  icon: 'filter',
  name,
  href: `/servers?${new URLSearchParams({ q }).toString()}`,
})

/** Options whose name or hint contains every word. */
export function matching<Option extends Shown>(options: readonly Option[], text: string): Option[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return options.filter(({ name, hint = '' }) => {
    const searchable = `${name} ${hint}`.toLowerCase()
    return words.every((word) => searchable.includes(word))
  })
}

/** "stop web-7": an action, by its name in the language of the page or of the API, and what follows it. */
export function readCommand<Action extends string>(
  text: string,
  names: Readonly<Record<Action, string>>,
  actions: readonly Action[],
): { readonly action: Action; readonly rest: string } | undefined {
  const [, verb = '', rest = ''] = /^(\S+)\s+(.+)$/.exec(text.trim()) ?? []
  const wanted = verb.toLowerCase()
  const action = actions.find((each) => [each, names[each].toLowerCase()].includes(wanted))
  return action && { action, rest }
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
