import { useMemo } from 'react'
import type { ServersQuery } from '../../api/queries/servers.ts'
import { completeTerms } from '../../filter/edit-query.ts'
import { fieldsFor, withBinColumn } from '../../servers/columns.ts'
import type { ListState } from '../../servers/list-state.ts'
import { searchedFields, searchWords } from '../../servers/search-matches.ts'

/** The request for the servers, and what it searches in which columns. */
export function useServersQuery({ q: typed, scope, isBin, asOf, sort, columns }: ListState) {
  const q = completeTerms(typed)
  const shown = useMemo(() => (isBin ? withBinColumn(columns) : columns), [isBin, columns])
  const search = useMemo(() => ({ words: searchWords(q), columns: shown }), [q, shown])
  const hasWords = search.words.length > 0
  const query = useMemo<ServersQuery>(
    () => ({
      q,
      scope,
      isBin,
      asOf,
      sort,
      // To tell why a row matches.
      fields: [...new Set([...fieldsFor(shown), ...(hasWords ? searchedFields : [])])],
    }),
    [q, scope, isBin, asOf, sort, shown, hasWords],
  )
  return { query, search }
}
