import { Fragment, type ReactNode } from 'react'

/** Shows a text of the catalogue whose placeholders, such as `{actor}`, are filled with elements. */
export const Filled = ({ text, values }: { text: string; values: Record<string, ReactNode> }) =>
  text.split(/(\{\w+\})/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a constant text
    <Fragment key={index}>{part.startsWith('{') ? values[part.slice(1, -1)] : part}</Fragment>
  ))
