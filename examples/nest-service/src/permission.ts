import { type CanActivate, HttpException } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Guard } from 'arango-services/guard';
import type { Request, Response } from 'express';

/** The permission that a handler or a controller needs, or `public`. A handler without one answers 500. */
export const Needs = Reflector.createDecorator<
  { action: 'orders:read' | 'orders:write'; resource: (params: Request['params']) => string } | 'public'
>();

/** Checks the permission of each handler before the handler is called. */
export const createPermissionGuard = (guard: Guard, reflector: Reflector): CanActivate => ({
  async canActivate(context) {
    const needed = reflector.getAllAndOverride(Needs, [context.getHandler(), context.getClass()]);
    if (needed === undefined) throw new Error(`${context.getHandler().name} has no @Needs`);
    if (needed === 'public') return true;
    const request = context.switchToHttp().getRequest<Request>();
    const access = await guard.check(request, { action: needed.action, resource: needed.resource(request.params) });
    if (access.allowed) return true;
    context.switchToHttp().getResponse<Response>().set(access.headers);
    throw new HttpException(access.body, access.status, { cause: access.cause });
  },
});
