import { useCallback, useState } from 'react'
import { useShortcut } from '../../frame/use-shortcut.ts'
import type { Row } from '../../servers/stable-pages.ts'
import type { ChangeList } from './use-list-state.ts'
import type { ServerPages } from './use-server-pages.ts'
import type { PickedValue } from './value-menu.tsx'

interface Options {
  readonly pages: ServerPages
  /** Identifies the list. The cursor is reset when the list changes. */
  readonly listKey: string
  readonly panel: string | undefined
  readonly change: ChangeList
  readonly onSelect: (row: Row) => void
  readonly onPick: (picked: { values: readonly PickedValue[]; anchor: DOMRect }) => void
}

/** The row that shortcuts act on; `scrollsIntoView` if it must be scrolled into view. */
export interface Cursor {
  readonly index: number
  readonly scrollsIntoView: boolean
}

const nowhere: Cursor = { index: -1, scrollsIntoView: false }

/** The keyboard shortcuts of the list: `j`, `k`, Enter, `x`, `f`, `r`. */
export function useListKeys({ pages, listKey, panel, change, onSelect, onPick }: Options) {
  const [cursor, setCursor] = useState(nowhere)
  const [cursorOf, setCursorOf] = useState(listKey)
  if (cursorOf !== listKey) {
    setCursorOf(listKey)
    setCursor(nowhere)
  }
  const current = pages.rowAt(cursor.index)

  function move(step: number): void {
    const next = Math.min(Math.max(cursor.index + step, 0), (pages.total ?? 0) - 1)
    if (next < 0) return
    setCursor({ index: next, scrollsIntoView: true })
    const row = pages.rowAt(next)
    // An open panel follows the cursor.
    if (panel !== undefined && row) change({ panel: row.id }, { replace: true })
  }

  useShortcut('j', () => move(1))
  useShortcut('k', () => move(-1))
  useShortcut('ArrowDown', () => move(1))
  useShortcut('ArrowUp', () => move(-1))
  useShortcut('Enter', () => current && change({ panel: current.id }))
  useShortcut('x', () => current && onSelect(current))
  useShortcut('r', pages.refetch)
  useShortcut('f', () => {
    const anchor = document.getElementById(`row-${cursor.index}`)?.getBoundingClientRect()
    if (current && anchor) onPick({ values: filterValues(current), anchor })
  })
  // Do not scroll for the mouse: the click would miss the row.
  const moveTo = useCallback(
    (index: number) =>
      setCursor((before) => (before.index === index ? before : { index, scrollsIntoView: false })),
    [],
  )
  return { cursor, moveTo }
}

/** The values of a server that make sense as filters. */
function filterValues(row: Row): { name: string; value: string }[] {
  const {
    status = '',
    project = '',
    provider = '',
    region = '',
    account = '',
    os_type = '',
    os_name = '',
  } = row
  const values = { status, project, provider, region, account, os: os_type, os_name }
  return Object.entries(values)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => ({ name, value }))
}
