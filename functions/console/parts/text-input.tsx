import type { ReactNode } from 'react'
import { Input, Label, Text, TextArea, TextField, type TextFieldProps } from 'react-aria-components'

type NotesProps = { hint?: ReactNode; faults?: string[] | undefined }

/** Hint and messages of a control of react-aria, which describe it to screen readers. */
export const FieldNotes = ({ hint, faults = [] }: NotesProps) => (
  <>
    {hint && (
      <Text slot="description" className="hint">
        {hint}
      </Text>
    )}
    {faults.length > 0 && (
      <Text slot="errorMessage" className="fault">
        {faults.join(' ')}
      </Text>
    )}
  </>
)

type Props = NotesProps &
  Pick<TextFieldProps, 'isRequired' | 'type' | 'autoComplete' | 'inputMode'> & {
    label: ReactNode
    value: string
    onChange: (value: string) => void
    /** Number of lines of a long text. */
    lines?: number | undefined
  }

/** Field for a text, with its label, hint and messages. */
export const TextInput = ({ label, hint, faults = [], lines, ...field }: Props) => (
  <TextField className="field" isInvalid={faults.length > 0} validationBehavior="aria" autoComplete="off" {...field}>
    <Label>{label}</Label>
    {lines ? (
      <TextArea className="input" rows={lines} />
    ) : (
      <Input className="input" autoCapitalize="none" spellCheck={false} />
    )}
    <FieldNotes hint={hint} faults={faults} />
  </TextField>
)
