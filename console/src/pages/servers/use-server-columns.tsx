import { useCallback, useMemo } from 'react'
import { useMessages } from '../../messages/use-messages.ts'
import { Cell } from '../../servers/cell.tsx'
import { columnDefinition, type ColumnName } from '../../servers/columns.ts'
import type { Row } from '../../servers/row.ts'
import { isGroupRow } from '../../servers/server-groups.ts'
import { GroupLine } from './group-line.tsx'
import { NameCell, type ListSearch } from './name-cell.tsx'
import type { Selection } from './use-selection.ts'

/** The columns of the table. */
export function useServerColumns(names: readonly ColumnName[]) {
  const t = useMessages()
  return useMemo(
    () =>
      names.map((name) => ({ name, title: t.servers.columns[name], ...columnDefinition(name) })),
    [names, t],
  )
}

/** Renders a cell of the table. That of the name selects and opens the server. */
export function useServerCell(
  { ids, toggle }: Selection,
  search: ListSearch,
  onOpen: (row: Row, index: number) => void,
) {
  return useCallback(
    (column: ColumnName, row: Row, index: number) =>
      column === 'name' ? (
        <NameCell
          row={row}
          isSelected={ids.has(row.id)}
          onOpen={() => onOpen(row, index)}
          search={search}
          onSelect={(isRange) => toggle(row, index, isRange)}
        />
      ) : (
        <Cell column={column} row={row} words={search.words} />
      ),
    [ids, toggle, search, onOpen],
  )
}

/** Renders the line of a group. */
export function useGroupLine(
  groupBy: string | undefined,
  onOpen: (row: Row, index: number) => void,
) {
  return useCallback(
    (row: Row, index: number) =>
      groupBy !== undefined && isGroupRow(row) ? (
        <GroupLine groupBy={groupBy} row={row} onOpen={() => onOpen(row, index)} />
      ) : undefined,
    [groupBy, onOpen],
  )
}
