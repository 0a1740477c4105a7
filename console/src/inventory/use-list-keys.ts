import { useCallback, useState } from 'react'
import { useShortcut } from '../frame/use-shortcut.ts'
import type { ListItem } from './stable-pages.ts'
import type { ListPages } from './use-pages.ts'
import type { PickedValue, PickedValues } from './value-menu.tsx'

export interface KeyOptions<Item extends ListItem> {
  readonly pages: ListPages<Item>
  /** Identifies the list. The cursor is reset when the list changes. */
  readonly listKey: string
  /** The cursor moved to a row. */
  readonly onMove?: (row: Item) => void
  readonly onOpen: (row: Item) => void
  /** `isRange`: with all rows from the one that was selected before. */
  readonly onSelect?: (row: Item, index: number, isRange: boolean) => void
  /** The values of a row that make sense as filters. */
  readonly filterValues: (row: Item) => readonly PickedValue[]
  readonly onPick: (picked: PickedValues) => void
}

/** The row that shortcuts act on; `scrollsIntoView` if it must be scrolled into view. */
export interface Cursor {
  readonly index: number
  readonly scrollsIntoView: boolean
}

const nowhere: Cursor = { index: -1, scrollsIntoView: false }

/** The keyboard shortcuts of the list: `j`, `k`, Enter, `x`, `X`, `f`, `r`. */
export function useListKeys<Item extends ListItem>(options: KeyOptions<Item>) {
  const { pages, listKey, onMove, onOpen, onSelect, filterValues, onPick } = options
  const [cursor, setCursor] = useState(nowhere)
  const [cursorOf, setCursorOf] = useState(listKey)
  if (cursorOf !== listKey) {
    setCursorOf(listKey)
    setCursor(nowhere)
  }
  const current = pages.rowAt(cursor.index)

  function move(step: number): void {
    const next = Math.min(Math.max(cursor.index + step, 0), (pages.rowCount ?? 0) - 1)
    if (next < 0) return
    setCursor({ index: next, scrollsIntoView: true })
    const row = pages.rowAt(next)
    if (row) onMove?.(row)
  }

  useShortcut('j', () => move(1))
  useShortcut('k', () => move(-1))
  useShortcut('ArrowDown', () => move(1))
  useShortcut('ArrowUp', () => move(-1))
  useShortcut('Enter', () => current && onOpen(current))
  useShortcut('x', () => current && onSelect?.(current, cursor.index, false))
  useShortcut('X', () => current && onSelect?.(current, cursor.index, true))
  useShortcut('r', pages.refetch)
  useShortcut('f', () => {
    const anchor = document.getElementById(`row-${cursor.index}`)?.getBoundingClientRect()
    const values = current ? filterValues(current) : []
    if (values.length > 0 && anchor) onPick({ values, anchor })
  })
  // Do not scroll for the mouse: the click would miss the row.
  const moveTo = useCallback(
    (index: number) =>
      setCursor((before) => (before.index === index ? before : { index, scrollsIntoView: false })),
    [],
  )
  return { cursor, moveTo }
}
