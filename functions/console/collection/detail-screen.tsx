import { Fragment, Suspense, useState } from 'react'
import { Link, useLocation, useParams, useSearchParams } from 'wouter'
import type { CalledRoute } from '../client/api-types.ts'
import { toProblem } from '../client/problem.ts'
import { refreshAll, useRead } from '../client/queries.ts'
import { send } from '../client/request.ts'
import { logPartsOf } from '../logs/log-parts.tsx'
import { ActionButton, ActionLink } from '../parts/controls.tsx'
import { notify } from '../parts/notice.tsx'
import { PageHeader, usePageTitle } from '../parts/page.tsx'
import { ShownText } from '../parts/shown-text.tsx'
import { Loading, NotFound, ReadState } from '../parts/states.tsx'
import { hasScope, useSession } from '../session/session.ts'
import { texts } from '../texts/texts.ts'
import {
  type Collection,
  fillAddress,
  type ObjectAction,
  type OwnPart,
  type RelatedList,
  type Row,
} from './collection.ts'
import { type Confirmation, ConfirmDialog } from './confirm-dialog.tsx'
import { Facts } from './facts.tsx'
import { RelatedRows } from './related-rows.tsx'
import { StateBadges } from './row-table.tsx'
import { useTitle } from './values.tsx'

/** Action that waits for its confirmation. */
type Pending = Pick<Confirmation, 'title' | 'verb' | 'typesName' | 'isDanger'> & {
  hint?: string | undefined
  perform: () => Promise<void>
}

type ActionsProps = { collection: Collection; row: Row; name: string; etag: string | null; address: string }

/** Buttons of a detail. Those that the scopes or a rule forbid are not rendered. */
function Actions({ collection, row, name, etag, address }: ActionsProps) {
  const { noun, routes, lockOf, envelope, counts = [], actions = [] } = collection
  const params = useParams<Record<string, string>>()
  const [, navigate] = useLocation()
  const [pending, setPending] = useState<Pending>()
  const perform = async (route: CalledRoute, body: unknown, done: string) => {
    const options = { path: params, ...(body !== undefined && { body }), ifMatch: etag ?? undefined }
    const overtaken = await send(route as 'PATCH /sites/{id}', options as never).then(
      () => false,
      (error) => toProblem(error).status === 412 || Promise.reject(error),
    )
    setPending(undefined)
    notify(overtaken ? texts.form.overtaken : done)
    if (route === routes.remove && !overtaken) navigate(address)
    await refreshAll()
  }
  const setDisabled = (isDisabled: boolean) =>
    perform(routes.update as CalledRoute, { [envelope]: { is_disabled: isDisabled } }, texts.form.saved(noun))
  const run = (work: Promise<void>) => void work.catch((error) => notify(toProblem(error).message))
  const act = ({ label: verb, confirm: hint, route, done }: ObjectAction) => {
    const next = () => perform(route, undefined, done)
    if (hint) setPending({ title: `${verb}: ${name}`, verb, hint, perform: next })
    else run(next())
  }
  const disable = () =>
    setPending({
      title: texts.confirm.disable(noun, name),
      verb: texts.actions.disable,
      isDanger: true,
      perform: () => setDisabled(true),
    })
  const remove = () =>
    setPending({
      title: texts.confirm.remove(noun, name),
      verb: texts.actions.remove,
      hint: [collection.removeHint, texts.confirm.final].filter(Boolean).join(' '),
      typesName: collection.typesName,
      isDanger: true,
      perform: () => perform(routes.remove as CalledRoute, undefined, texts.form.removed(noun)),
    })
  const canUpdate = routes.update && lockOf?.(row, 'update') === undefined
  return (
    <>
      {actions
        .filter(({ isShown }) => isShown(row))
        .map((action) => (
          <ActionButton key={action.route} onPress={() => act(action)}>
            {action.label}
          </ActionButton>
        ))}
      {canUpdate && typeof row.is_disabled === 'boolean' && (
        <ActionButton onPress={() => (row.is_disabled ? run(setDisabled(false)) : disable())}>
          {row.is_disabled ? texts.actions.enable : texts.actions.disable}
        </ActionButton>
      )}
      {routes.remove && lockOf?.(row, 'remove') === undefined && (
        <ActionButton tone="danger" onPress={remove}>
          {texts.actions.remove}
        </ActionButton>
      )}
      {canUpdate && (
        <span data-shortcut="edit">
          <ActionLink to={`${address}/${row.id}/edit`} tone="primary">
            {texts.actions.edit}
          </ActionLink>
        </span>
      )}
      {pending && (
        <ConfirmDialog
          {...pending}
          name={name}
          row={row}
          counts={counts}
          onConfirm={pending.perform}
          onClose={() => setPending(undefined)}
        >
          {pending.hint && <p>{pending.hint}</p>}
        </ConfirmDialog>
      )}
    </>
  )
}

function Parts({ collection, row }: { collection: Collection; row: Row }) {
  const session = useSession()
  const [search] = useSearchParams()
  const [location] = useLocation()
  const isAvailable = (part: RelatedList | OwnPart) =>
    hasScope(session, part.scope, 'read') && part.isShown?.(row) !== false
  const parts = [...(collection.parts ?? []), ...logPartsOf(collection)].filter(isAvailable)
  const current = parts.find(({ key }) => key === search.get('show')) ?? parts[0]
  if (!current) return null
  return (
    <section className="parts">
      <nav className="tabs" aria-label={texts.parts}>
        {parts.map((part) => (
          <Link
            key={part.key}
            href={`${location}?show=${part.key}`}
            replace
            aria-current={part === current ? 'true' : undefined}
          >
            {part.label ?? texts.many(part.noun)}
          </Link>
        ))}
      </nav>
      <Fragment key={current.key}>
        {'list' in current ? (
          <RelatedRows part={current} row={row} />
        ) : (
          <Suspense fallback={<Loading rows={4} />}>
            <current.render row={row} collection={collection} />
          </Suspense>
        )}
      </Fragment>
    </section>
  )
}

/** Details of an object: its facts, actions and related lists. */
export function DetailScreen({ collection }: { collection: Collection }) {
  const { noun, routes, scope, states, lockOf } = collection
  const session = useSession()
  const params = useParams<Record<string, string>>()
  const address = fillAddress(collection.address, params)
  const read = useRead(routes.read as 'GET /sites/{id}', { path: params as { id: string } })
  const row = read.data?.answer.data as Row | undefined
  const name = useTitle(collection, row)
  usePageTitle(name || texts.one(noun))
  if (!row && read.error?.namesNothing) return <NotFound to={address} name={texts.many(noun)} />
  if (!row) return <ReadState title={texts.one(noun)} read={read} rows={8} />
  const lock = lockOf?.(row, 'update')
  return (
    <>
      <PageHeader
        back={{ to: collection.back?.(row) ?? address, name: texts.many(collection.backNoun ?? noun) }}
        title={<ShownText text={collection.connects ? name : String(row[collection.title ?? 'name'] ?? row.id)} />}
        badges={states && <StateBadges states={states(row)} />}
      >
        {hasScope(session, scope, 'write') && (
          <Actions collection={collection} row={row} name={name} etag={read.data?.etag ?? null} address={address} />
        )}
      </PageHeader>
      {lock && <p className="remark">{lock}</p>}
      <Facts collection={collection} row={row} />
      <Parts collection={collection} row={row} />
    </>
  )
}
