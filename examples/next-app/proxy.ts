import { type NextRequest, NextResponse } from 'next/server';
import { readToken } from './app/platform.ts';

// Saves the rendering of a page without a token. It guards nothing: the page, the handlers and the action check again.
// An action must not be redirected or answered here, because its page would take the answer for the action's own.
export const config = { matcher: '/' };
export function proxy({ method, headers }: NextRequest): NextResponse {
  if (method !== 'GET' || readToken(headers) !== undefined) return NextResponse.next();
  return new NextResponse('Please sign in.', { headers: { 'cache-control': 'private, no-store' } });
}
