import type { MappingPreview } from '@muster/contract'
import { Link } from '@tanstack/react-router'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Table, type Column } from '../../ui/table.tsx'
import styles from './mapping-editor.module.css'

interface Props {
  readonly preview: MappingPreview
  readonly isOutdated: boolean
}

type Share = MappingPreview['projects'][number]
type Move = MappingPreview['servers'][number]

/** The effect of mapping rules: moved servers and servers per project. */
export function MappingPreviewPanel({ preview, isOutdated }: Props) {
  const t = useMessages()
  const { number } = useFormat()
  const { total, moves, projects, servers } = preview
  const shares: readonly Column<Share>[] = [
    { key: 'project', title: t.accounts.projectColumn, cell: ({ project }) => project },
    {
      key: 'servers',
      title: t.accounts.servers,
      number: true,
      cell: ({ servers: count }) => number(count),
    },
  ]
  const moving: readonly Column<Move>[] = [
    {
      key: 'server',
      title: t.accounts.server,
      cell: ({ id, name }) => (
        <Link to="/servers/$id" params={{ id }}>
          {name}
        </Link>
      ),
    },
    { key: 'from', title: t.accounts.from, cell: ({ from_project }) => from_project },
    { key: 'to', title: t.accounts.toProject, cell: ({ to_project }) => to_project },
    {
      key: 'rule',
      title: t.accounts.byRule,
      cell: ({ rule }) => (rule === -1 ? t.accounts.byDefault : t.accounts.rule(number(rule + 1))),
    },
  ]
  return (
    <section className={styles.preview} aria-labelledby="mapping-preview">
      <h2 id="mapping-preview">{t.accounts.previewTitle}</h2>
      <p role="status">
        {moves === 0
          ? t.accounts.previewNone(number(total))
          : t.accounts.previewMoves(number(moves), number(total))}
      </p>
      {isOutdated && <p className={styles.outdated}>{t.accounts.previewOutdated}</p>}
      <div className={styles.tables}>
        <Table
          caption={t.accounts.previewProjects}
          columns={shares}
          rows={projects}
          rowKey={({ project_id }) => project_id}
        />
        {servers.length > 0 && (
          <div className={styles.moving}>
            <Table
              caption={t.accounts.previewServers}
              columns={moving}
              rows={servers}
              rowKey={({ id }) => id}
            />
            {servers.length < moves && (
              <p className={styles.hint}>
                {t.accounts.previewSome(number(servers.length), number(moves))}
              </p>
            )}
          </div>
        )}
      </div>
    </section>
  )
}
