import { keepPreviousData, QueryClient, useQuery } from '@tanstack/react-query'
import type { Operations, Route } from './coming.ts'
import { Problem } from './problem.ts'
import { type Options, send } from './request.ts'

/** Cache of responses. Repeats a failed read twice if a later attempt can succeed. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (count, error) => count < 2 && error instanceof Problem && [0, 502, 503, 504].includes(error.status),
    },
  },
})

type Reading<R extends Route> = Options<R> & {
  enabled?: boolean
  keep?: boolean
  /** Returns the milliseconds until the next read of a response that changes by itself; false if it does not. */
  every?: (answer: Operations[R]['answer']) => number | false
}

/** Reads with a `GET` operation. With `keep`, the previous page is shown until the next one is there. */
export function useRead<R extends Route>(route: R, { enabled = true, keep = false, every, ...options }: Reading<R>) {
  const rest = options as unknown as Options<R>
  return useQuery<{ answer: Operations[R]['answer']; etag: string | null }, Problem>({
    queryKey: [route, rest.path ?? {}, rest.query ?? {}],
    queryFn: ({ signal }) => send(route, { ...rest, signal }),
    enabled,
    ...(keep && { placeholderData: keepPreviousData }),
    ...(every && { refetchInterval: ({ state: { data } }) => (data ? every(data.answer) : false) }),
  })
}

/** Refetches what is visible after a write, because one change can affect several objects (A29). */
export const refreshAll = (): Promise<void> => queryClient.invalidateQueries()
