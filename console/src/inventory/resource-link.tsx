import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { InventoryKind } from './kinds.ts'

interface Props {
  readonly kind: InventoryKind
  readonly id: string
  /** Default: the id. */
  readonly children?: ReactNode
}

/** A link to the page of a host, network, region, zone or manager. */
export function ResourceLink({ kind, id, children = id }: Props) {
  return (
    <Link to="/infrastructure/$kind/$id" params={{ kind, id }} preload={false}>
      <bdi>{children}</bdi>
    </Link>
  )
}
