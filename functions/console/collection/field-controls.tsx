import type { ReactNode } from 'react'
import { useId } from 'react'
import { Switch } from 'react-aria-components'
import { ActionButton } from '../parts/controls.tsx'
import { TextInput } from '../parts/text-input.tsx'
import { labelOf, optionOf, texts } from '../texts/texts.ts'
import { ChoiceBox } from './choice-box.tsx'
import type { Field } from './collection.ts'
import { type Condition, operatorsOf } from './conditions.ts'

type ControlProps = { field: Field; value: unknown; onChange: (value: unknown) => void; faults: string[] }

type NotesProps = { id?: string; hint?: string | undefined; faults?: string[] }

/** Hint and messages of a control that is not from react-aria. */
const Notes = ({ id, hint, faults = [] }: NotesProps) => (
  <>
    {hint && (
      <p className="hint" id={id && `${id}-hint`}>
        {hint}
      </p>
    )}
    {faults.length > 0 && (
      <p className="fault" id={id && `${id}-fault`}>
        {faults.join(' ')}
      </p>
    )}
  </>
)

const labelFor = ({ name, isRequired }: Field): string =>
  isRequired ? labelOf(name) : `${labelOf(name)} (${texts.form.optional})`

type SelectProps = {
  id?: string
  label?: string
  value: string
  options: ReadonlyArray<readonly [value: string, text: string]>
  onChange: (value: string) => void
  isInvalid?: boolean
}

export function Choice({ id, label, value, options, onChange, isInvalid }: SelectProps) {
  return (
    <select
      id={id}
      className="input"
      aria-label={label}
      aria-invalid={isInvalid || undefined}
      aria-describedby={id ? `${id}-hint ${id}-fault` : undefined}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {options.map(([key, text]) => (
        <option key={key} value={key}>
          {text}
        </option>
      ))}
    </select>
  )
}

/** Choice with a label, hint and messages. */
export function ChoiceField({ label, hint, faults = [], ...choice }: SelectProps & NotesProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <Choice id={id} isInvalid={faults.length > 0} {...choice} />
      <Notes id={id} hint={hint} faults={faults} />
    </div>
  )
}

type FlagProps = NotesProps & { label: string; value: boolean; onChange: (value: boolean) => void }

export const FlagField = ({ label, value, onChange, ...notes }: FlagProps) => (
  <div className="field">
    <Switch className="switch" isSelected={value} onChange={onChange}>
      <span className="switch-track" aria-hidden="true" />
      {label}
    </Switch>
    <Notes {...notes} />
  </div>
)

function TextControl({ field, value, onChange, faults }: ControlProps) {
  const { kind, hint, isRequired = false } = field
  const isLines = kind === 'lines'
  const text = isLines ? ((value as string[] | null) ?? []).join('\n') : String(value ?? '')
  return (
    <TextInput
      label={labelFor(field)}
      value={text}
      onChange={(next) => onChange(isLines ? (next === '' ? null : next.split('\n')) : next)}
      isRequired={isRequired}
      type={kind === 'secret' ? 'password' : 'text'}
      {...(kind === 'number' && { inputMode: 'numeric' as const })}
      lines={isLines || kind === 'long' ? 3 : undefined}
      hint={[hint, isLines ? texts.form.perLine : ''].filter(Boolean).join(' ')}
      faults={faults}
    />
  )
}

type PortFilter = { protocol: string; ports: string[] }

const protocols = [
  ['tcp', 'TCP'],
  ['udp', 'UDP'],
  ['icmp', 'ICMP'],
] as const

type RowsProps<T> = {
  items: T[]
  blank: T
  label: string
  hint: string
  faults: string[]
  onChange: (items: T[]) => void
  render: (item: T, change: (item: T) => void) => ReactNode
}

/** Rows of a list field, with buttons to add and remove rows. */
function EditedRows<T>({ items, blank, label, hint, faults, onChange, render }: RowsProps<T>) {
  return (
    <fieldset className="field">
      <legend>{label}</legend>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows have no identity
        <div className="edited-row" key={index}>
          {render(item, (next) => onChange(items.with(index, next)))}
          <ActionButton
            tone="quiet"
            icon="close"
            label={`${texts.form.removeRow} ${index + 1}`}
            onPress={() => onChange(items.toSpliced(index, 1))}
          >
            {null}
          </ActionButton>
        </div>
      ))}
      <ActionButton icon="add" onPress={() => onChange([...items, blank])}>
        {texts.actions.add}
      </ActionButton>
      <Notes hint={hint} faults={faults} />
    </fieldset>
  )
}

const splitList = (text: string): string[] => text.split(',').map((part) => part.trimStart())

function PortsControl({ field, value, onChange, faults }: ControlProps) {
  return (
    <EditedRows<PortFilter>
      items={(value as PortFilter[] | null) ?? []}
      blank={{ protocol: 'tcp', ports: [] }}
      label={labelOf(field.name)}
      hint={texts.form.portsHint}
      faults={faults}
      onChange={onChange}
      render={(item, change) => (
        <>
          <Choice
            label={texts.form.protocol}
            value={item.protocol}
            options={protocols}
            onChange={(protocol) => change({ ...item, protocol })}
          />
          <input
            className="input"
            aria-label={texts.form.ports}
            placeholder="443, 8000-8080"
            value={item.ports.join(', ')}
            disabled={item.protocol === 'icmp'}
            onChange={(event) =>
              change({ ...item, ports: event.target.value === '' ? [] : splitList(event.target.value) })
            }
          />
        </>
      )}
    />
  )
}

type ConditionValuesProps = { condition: Condition; onChange: (values: string[]) => void }

/** Values of a condition: times one per line, because a value contains commas, others separated by commas. */
function ConditionValues({ condition: { property, values }, onChange }: ConditionValuesProps) {
  const common = {
    className: 'input',
    'aria-label': labelOf('values'),
    placeholder: texts.form.valueExamples[property as keyof typeof texts.form.valueExamples],
  }
  if (property !== 'current_utc_datetime')
    return <input {...common} value={values.join(', ')} onChange={(event) => onChange(splitList(event.target.value))} />
  return (
    <textarea
      {...common}
      rows={Math.max(values.length, 2)}
      value={values.join('\n')}
      onChange={(event) => onChange(event.target.value.split('\n'))}
    />
  )
}

function ConditionsControl({ field, value, onChange, faults }: ControlProps) {
  const properties = Object.keys(operatorsOf)
  const items = (value as Condition[] | null) ?? []
  const unused = properties.find((property) => !items.some((item) => item.property === property))
  const blankOf = (property: string): Condition => ({
    property,
    operator: operatorsOf[property]?.[0] ?? '',
    values: property === 'client_verified' ? ['true'] : [],
  })
  return (
    <EditedRows<Condition>
      items={items}
      blank={blankOf(unused ?? 'remote_ip')}
      label={labelOf(field.name)}
      hint={texts.form.conditionsHint}
      faults={faults}
      onChange={onChange}
      render={(item, change) => (
        <>
          <Choice
            label={labelOf('property')}
            value={item.property}
            options={properties.map((property) => [property, optionOf('property', property)] as const)}
            onChange={(property) => change(blankOf(property))}
          />
          {item.property !== 'client_verified' && (
            <>
              <Choice
                label={labelOf('operator')}
                value={item.operator}
                options={(operatorsOf[item.property] ?? []).map((one) => [one, optionOf('operator', one)] as const)}
                onChange={(operator) => change({ ...item, operator })}
              />
              <ConditionValues condition={item} onChange={(values) => change({ ...item, values })} />
            </>
          )}
        </>
      )}
    />
  )
}

/** Control of a field, by its kind. */
export function FieldControl(props: ControlProps) {
  const { field, value, onChange, faults } = props
  switch (field.kind) {
    case 'reference':
      return (
        <ChoiceBox
          to={field.to ?? 'sites'}
          label={labelFor(field)}
          value={(value as string | null) ?? null}
          onChange={onChange}
          isRequired={field.isRequired}
          faults={faults}
          hint={field.hint}
        />
      )
    case 'choice':
      return (
        <ChoiceField
          label={labelOf(field.name)}
          value={String(value ?? '')}
          options={(field.options ?? []).map((option) => [option, optionOf(field.name, option)] as const)}
          onChange={onChange}
          hint={field.hint}
          faults={faults}
        />
      )
    case 'flag':
      return (
        <FlagField
          label={labelOf(field.name)}
          value={Boolean(value)}
          onChange={(isOn) => onChange(field.on === undefined ? isOn : isOn ? field.on : null)}
          hint={field.hint}
          faults={faults}
        />
      )
    case 'ports':
      return <PortsControl {...props} />
    case 'conditions':
      return <ConditionsControl {...props} />
    default:
      return <TextControl {...props} />
  }
}
