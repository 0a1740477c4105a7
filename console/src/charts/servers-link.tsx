import { Link } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'

interface Props extends Pick<ComponentProps<'a'>, 'className' | 'style' | 'title' | 'tabIndex'> {
  /** The filter; undefined if there is none, and then no link is drawn. */
  readonly q: string | undefined
  readonly children?: ReactNode
}

/** Links to the servers behind a figure. */
export function ServersLink({ q, children, ...others }: Props) {
  if (q === undefined) return <span {...others}>{children}</span>
  return (
    <Link to="/servers" search={q === '' ? {} : { q }} {...others}>
      {children}
    </Link>
  )
}
