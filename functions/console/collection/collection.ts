import type { ComponentType, ReactNode } from 'react'
import type { CalledRoute, Operations } from '../client/api-types.ts'
import type { BadgeTone } from '../parts/controls.tsx'
import type { Session } from '../session/session.ts'
import { type Noun, texts } from '../texts/texts.ts'

/** Object of the API with its id. Screens are declared for one type of row. */
export type Row = { id: string } & Record<string, unknown>

/** Type of the rows that a list operation returns. */
type RowOf<R extends CalledRoute> = Operations[R]['answer'] extends { data: Array<infer T> } ? T : never

/** Collections to which a field can refer by id. */
export type ReferenceName = 'actors' | 'groups' | 'resources' | 'sites' | 'clients' | 'gateways' | 'policies'

export type State = { text: string; tone: BadgeTone }

/** Way to show a value. `instant` is a time that is never a distance, `option` is an enumeration of the catalogue, `code` an address or identifier. */
type ValueKind =
  | 'text'
  | 'code'
  | 'option'
  | 'time'
  | 'instant'
  | 'flag'
  | 'list'
  | 'duration'
  | 'link'
  | 'filters'
  | 'conditions'
  | 'policies'

/** Column of a list and fact of a detail. A column without a kind shows text. */
export type Column<R> = {
  field: keyof R & string
  /** Label, where the field's own one means something else. */
  label?: string
  kind?: ValueKind
  /** Collection that the value refers to. */
  to?: ReferenceName
  /** True for a column that narrow screens leave out. */
  minor?: boolean
  /** Shows the value, where no kind does. */
  render?: (row: R) => ReactNode
}

/** Filter of a list operation (A7.3, G13). With `options` or `to` it is a choice, otherwise a complete value. */
export type Filter = {
  name: string
  options?: readonly string[]
  field?: string
  to?: ReferenceName
  flag?: boolean
  /** Text of the choice without a value. */
  blank?: string
  /** Values with their texts, where the catalogue does not have the words. */
  choices?: ReadonlyArray<readonly [value: string, text: string]>
  /** Type of the input of a complete value. */
  type?: 'datetime-local'
}

type FieldKind =
  | 'text'
  | 'long'
  | 'choice'
  | 'reference'
  | 'flag'
  | 'number'
  | 'lines'
  | 'secret'
  | 'ports'
  | 'conditions'

/** Values of a form by field name. */
export type Values = Record<string, unknown>

export type Field = {
  name: string
  kind: FieldKind
  options?: readonly string[]
  to?: ReferenceName
  hint?: string
  isRequired?: boolean
  /** Value of the field in a new object. */
  initial?: unknown
  /** Form that has the field; without it, both have. */
  only?: 'create' | 'update'
  /** Tests the values of the form, and the session; `id` is undefined for a new object. */
  isShown?: (values: Values, session: Session, id: string | undefined) => boolean
  /** Value of a flag that is on, by default true. With another value, off is null. */
  on?: unknown
  /** True if a change decides who has access and must be confirmed (K7.1). */
  decidesAccess?: boolean
  /** Other consequence of a change, which must be confirmed (K7.1). */
  consequence?: string
}

type Lists = {
  noun: Noun
  list: CalledRoute
  scope: string
  /** Path parameters and query of the list for a row. */
  path?: (row: Row) => Record<string, string>
  query?: (row: Row) => Record<string, unknown>
  /** Filter in the query that the service may not have yet; the list is then left out. */
  filter?: string
  isShown?: (row: Row) => boolean
}

/** List in the detail of an object. */
export type RelatedList = Lists & {
  key: string
  /** Address that a row opens below its parent. */
  opensIn?: (parent: Row, row: Row) => string
  columns: Column<Row>[]
  /** Address of the detail that a row opens. */
  opens?: (row: Row) => string
  label?: string
  hint?: string
  states?: (row: Row) => State[]
  /** Address in the access explorer that explains the list, or one of its rows. */
  explains?: (parent: Row, row?: Row) => string
  /** Address of a form that creates a row here, with its fields prefilled. */
  creates?: (row: Row) => string
}

/** Part in the detail of an object that its screen implements. */
export type OwnPart = {
  key: string
  label?: string
  noun: Noun
  scope: string
  render: ComponentType<{ row: Row; collection: Collection }>
  isShown?: (row: Row) => boolean
}

/** Number in a confirmation (K7.2): the total of a list, or the rows of a page where the list has no total. */
export type Count = Lists

/** Action of a detail beside edit and delete, such as verifying a client. */
export type ObjectAction = {
  label: string
  route: CalledRoute
  done: string
  isShown: (row: Row) => boolean
  /** Text of the confirmation; without it, the action takes effect at once. */
  confirm?: string
}

/** Declaration of the list, details and form of a kind of object. */
export type Collection = {
  noun: Noun
  /** Scope collection (A3.2). */
  scope: string
  /** Address of the list; path parameters have a colon. */
  address: string
  /** Address that a row of the list opens; by default its detail below the own address. */
  opens?: (row: Row) => string
  routes: { list: CalledRoute; read?: CalledRoute; create?: CalledRoute; update?: CalledRoute; remove?: CalledRoute }
  /** Filters that the list always has. */
  query?: Record<string, unknown>
  /** Key of the object in request bodies (A2.4). */
  envelope: string
  columns: Column<Row>[]
  facts: Column<Row>[]
  /** Facts of a row, where they depend on it. */
  factsOf?: (row: Row) => Column<Row>[]
  filters?: Filter[]
  fields: Field[]
  states?: (row: Row) => State[]
  parts?: Array<RelatedList | OwnPart>
  counts?: Count[]
  actions?: ObjectAction[]
  /** Reason for which the row cannot be changed or deleted; undefined if it can. */
  lockOf?: (row: Row, action: 'update' | 'remove') => string | undefined
  /** True if a deletion requires typing the name (K7.4). */
  typesName?: boolean
  /** Objects that a deletion deletes too, where no list counts them (K7.2). */
  removeHint?: string
  /** List to which the details link, by default the own list. */
  back?: (row: Row) => string
  backNoun?: Noun
  /** True if facts without a value are left out. */
  hidesBlank?: boolean
  /** References whose names are the title, for objects without a name. */
  connects?: Array<{ field: string; to: ReferenceName }>
  /** Field with the name of an object; `name` by default. */
  title?: string
}

/** Column as text: a field, then its kind or `@` with the collection that it refers to, then `minor`. */
type ColumnText<F extends string> = `${F}${'' | ` ${ValueKind}` | ` @${ReferenceName}`}${'' | ' minor'}`

const minor = 'minor'

function toColumn(text: string): Column<Row> {
  const [field = '', ...words] = text.split(' ')
  const kind = words.find((word) => word !== minor && !word.startsWith('@')) as ValueKind | undefined
  const to = words.find((word) => word.startsWith('@'))?.slice(1) as ReferenceName | undefined
  return { field, ...(kind && { kind }), ...(to && { to }), ...(words.includes(minor) && { minor: true }) }
}

/** Columns of texts with one or more columns each, separated by a comma and a space. */
export const toColumns = (...texts: string[]): Column<Row>[] => texts.flatMap((text) => text.split(', ').map(toColumn))

/** Columns in a text, as a union. */
type ColumnsIn<T extends string> = T extends `${infer First}, ${infer Rest}` ? First | ColumnsIn<Rest> : T

/** Declares columns as `toColumns`, whose fields are checked against the rows of a list operation. */
export const columnsOf =
  <R extends CalledRoute>() =>
  <const T extends string[]>(
    ...texts: T & (ColumnsIn<T[number]> extends ColumnText<keyof RowOf<R> & string> ? unknown : 'unknown column')
  ): Column<Row>[] =>
    toColumns(...texts)

/** State of an object that can be disabled. */
export const switchState = (isDisabled: unknown): State =>
  isDisabled ? { text: texts.badges.disabled, tone: 'warn' } : { text: texts.badges.enabled, tone: 'quiet' }

/** Fields of a secret: required for a new object, and empty in a form that keeps the stored one. */
export const secretFields = (name: string, kind: 'secret' | 'long' = 'secret', more: Partial<Field> = {}): Field[] => [
  { name, kind, isRequired: true, only: 'create', ...more },
  { name, kind, only: 'update', hint: texts.form.keepSecret, ...more },
]

/** Operations of a kind of objects by the path of their list. */
export const objectRoutes = <P extends string>(path: P) =>
  ({
    list: `GET ${path}`,
    read: `GET ${path}/{id}`,
    create: `POST ${path}`,
    update: `PATCH ${path}/{id}`,
    remove: `DELETE ${path}/{id}`,
  }) as const

/** Fills the path parameters of an address pattern. */
export const fillAddress = (pattern: string, params: Record<string, string>): string =>
  pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
