import { useLayoutEffect, useState, type RefObject } from 'react'
import { readStoredText, storeText } from '../browser/local-storage.ts'
import { fitColumns, type SizedColumn, type Widths } from './fit-columns.ts'

/** Bounds of a width that the user chooses. */
export const minWidth = 48
export const maxWidth = 1_000

/** Of a cell, at both sides. */
const padding = 16

const keyOf = (list: string) => `muster.widths.${list}`

/** The widths that the user chose in this browser. */
function readWidths(list: string): Widths {
  try {
    const stored = Object.entries(JSON.parse(readStoredText(keyOf(list)) ?? '{}') as object)
    const isWidth = (width: unknown): width is number =>
      typeof width === 'number' && width >= minWidth && width <= maxWidth
    return Object.fromEntries(
      stored.filter((entry): entry is [string, number] => isWidth(entry[1])),
    )
  } catch {
    return {}
  }
}

/** What the visible values of whole columns need, and needed before. */
function measureCells(area: HTMLElement, before: Widths): Widths {
  const needed = new Map(Object.entries(before))
  for (const cell of area.querySelectorAll<HTMLElement>('td[data-whole]')) {
    const { whole: name = '' } = cell.dataset
    const range = document.createRange()
    range.selectNodeContents(cell)
    const width = Math.ceil(range.getBoundingClientRect().width) + padding
    needed.set(name, Math.max(width, needed.get(name) ?? 0))
  }
  return Object.fromEntries(needed)
}

const isSame = (one: Widths, other: Widths): boolean =>
  Object.keys({ ...one, ...other }).every((name) => one[name] === other[name])

interface Options<Name extends string> {
  /** Identifies the list whose widths are remembered. */
  readonly list: string
  readonly columns: readonly SizedColumn<Name>[]
  /** Identifies the rows. Other rows may need less. */
  readonly rowsKey: string
  readonly scroll: RefObject<HTMLElement | null>
}

/** The widths of the columns in a scrolling element, by window, values and the choice of the user. */
export function useColumnWidths<Name extends string>(options: Options<Name>) {
  const { list, columns, rowsKey, scroll } = options
  const [available, setAvailable] = useState<number>()
  const [chosen, setChosen] = useState(() => readWidths(list))
  const [needed, setNeeded] = useState<Widths>({})

  useLayoutEffect(() => {
    const area = scroll.current
    if (!area) return
    const measure = () => setAvailable(area.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(area)
    return () => observer.disconnect()
  }, [scroll])
  useLayoutEffect(() => {
    const area = scroll.current
    if (!area) return
    let widths: Widths = {}
    const measure = () => {
      widths = measureCells(area, widths)
      setNeeded((before) => (isSame(before, widths) ? before : widths))
    }
    measure()
    // Rows come into view, and values change.
    const observer = new MutationObserver(measure)
    observer.observe(area, { childList: true, subtree: true, characterData: true })
    return () => observer.disconnect()
  }, [scroll, rowsKey])

  /** Undefined: the usual width. */
  function resize(name: Name, width: number | undefined): void {
    const { [name]: _before, ...others } = chosen
    const next: Widths = width === undefined ? others : { ...others, [name]: width }
    setChosen(next)
    storeText(keyOf(list), JSON.stringify(next))
  }

  return { ...fitColumns({ columns, chosen, needed, available }), needed, resize }
}
