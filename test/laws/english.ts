import { sourcesBelow } from '#test/support/run/imports.ts'

export type Fault = 'opener' | 'verb' | 'length'

/** First words that no comment may have. A comment starts with a noun phrase or a third-person verb. */
const opener = /^(What|Who|Whoever|Whom|Whose|Of|Those|The same|It|One|Where|Whether|This|That|Only|So|Also)\b(?!\.)/

/** Everyday verbs that comments must not use where a technical term exists, such as `tells` for `notifies`. */
const verb = new RegExp(
  [
    /\b(tells?|told|telling|hears?|heard|learns? of|speaks? of|asks?|asked|asking)\b/,
    /\b(stands?(?! for|-)|stood|lies|lay|lain|bears?|begins? anew|anew|goes on|gone on|going on)\b/,
    /\b(leads? to|leads? on|lets? go|held against|holds? \w+ against|comes? to|at work)\b/,
    /\b(makes? room|has room|have room|so many|as many as|whoever|whatever|wherever)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
)

/** Maximum number of words per sentence, because a longer sentence usually holds more than one idea. */
const maxWords = 35

/** Returns the comments of a source without their markers. Consecutive lines of `//` form one comment. */
export function commentsOf(source: string): string[] {
  const comments: string[] = []
  let lines: string[] = []
  const end = () => {
    if (lines.length > 0) comments.push(lines.join(' ').trim())
    lines = []
  }
  let isBlock = false
  for (const line of source.split('\n')) {
    const block: string | undefined = isBlock ? line : /^(?:.*[\s({,])?\/\*\*?(?!\/)(.*)$/.exec(line)?.[1]
    if (block !== undefined) {
      if (!isBlock) end()
      const closing: number = block.indexOf('*/')
      lines.push((closing < 0 ? block : block.slice(0, closing)).replace(/^\s*\*\s?/, '').trim())
      isBlock = closing < 0
      if (!isBlock) end()
      continue
    }
    const ownText = /^\s*\/\/\s?(.*)$/.exec(line)?.[1]
    if (ownText !== undefined) lines.push(ownText)
    else {
      end()
      const behind = /^[^'"`]*\s\/\/ (.*)$/.exec(line)?.[1]
      if (behind !== undefined) comments.push(behind)
    }
  }
  end()
  return comments.filter((comment) => /[a-z]{2}/i.test(comment) && !/^(biome-ignore|@ts-)/.test(comment))
}

export function faultsOf(comment: string): Fault[] {
  const text = comment.replace(/`[^`]*`/g, 'code').replace(/@(throws|param|returns)\b/g, '. ')
  const sentences = text.split(/[.!?:;](?:\s|$)/)
  return [
    ...(opener.test(text) ? (['opener'] as const) : []),
    ...(verb.test(text) ? (['verb'] as const) : []),
    ...(sentences.some((sentence) => sentence.split(/\s+/).length > maxWords) ? (['length'] as const) : []),
  ]
}

const roomOf = (file: string): string => {
  const [folder = '', room = ''] = file.split('/')
  return room.includes('.') ? folder : `${folder}/${room}`
}

/** Returns faulty comments with their files and faults, by room. A room is a second-level folder, such as `shared/table`. */
export function faultsByRoom(): Map<string, string[]> {
  const rooms = new Map<string, string[]>()
  for (const folder of ['functions', 'shared', 'infra', 'test']) {
    for (const [file, source] of sourcesBelow(folder)) {
      const faulty = rooms.get(roomOf(file)) ?? []
      rooms.set(roomOf(file), faulty)
      for (const comment of commentsOf(source)) {
        const faults = faultsOf(comment)
        if (faults.length > 0) faulty.push(`${file}: ${faults.join(', ')}: ${comment}`)
      }
    }
  }
  return rooms
}
