/* trawl.hpp: trawl.h for C++17: handles that free themselves, errors as exceptions, a function
 * object for matches. What has no shorter form here is called through trawl::call:
 *
 *     trawl::plan plan({ trawl::pattern("he", 1), trawl::pattern("she", 2) });
 *     trawl::context context;
 *     context.scan(plan, "ushers", [](const trawl_match &m) { std::cout << m.id << '\n'; });
 *     trawl::call(trawl_count, context.get(), plan.get(), "ushers", 6, nullptr, &count);
 *
 * The function is called for each match and returns nothing, or false to stop. What it throws
 * stops the scan, and is thrown on to the caller when the library has returned.
 */
#ifndef TRAWL_HPP
#define TRAWL_HPP

#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "trawl.h"

namespace trawl
{

/* A status below 0; what() is the message. */
struct error : std::runtime_error {
    explicit error(const trawl_error &e)
        : std::runtime_error(e.message), status(e.code), pattern(e.pattern), offset(e.offset)
    {
    }
    int status;
    std::size_t pattern, offset; /* or TRAWL_NONE */
};

/* Call a function of trawl.h whose last argument is a trawl_error; the others are given. Its
 * status, which is not negative. */
template <class F, class... A> int call(F *function, A... arguments)
{
    trawl_error e{};
    const int status = function(arguments..., &e);
    if (status < 0)
        throw error(e);
    return status;
}

/* The text must live until the plan is made. */
inline trawl_pattern pattern(std::string_view text, uint32_t id = 0,
                             uint32_t syntax = TRAWL_SYNTAX_LITERAL, uint32_t flags = 0)
{
    return { text.data(), text.size(), syntax, flags, id, nullptr };
}

template <auto release> struct releaser {
    template <class T> void operator()(T *handle) const noexcept
    {
        release(handle);
    }
};

struct plan : std::unique_ptr<trawl_plan, releaser<trawl_plan_free>> {
    using unique_ptr::unique_ptr; /* of trawl_plan_load and its like */
    explicit plan(const std::vector<trawl_pattern> &patterns,
                  const trawl_compile_options *options = nullptr)
    {
        trawl_plan *made = nullptr;
        call(trawl_compile, patterns.data(), patterns.size(), options, &made);
        reset(made);
    }
};

/* A function as a trawl_match_fn, which is sink::take, and its user, which is the sink. */
class sink
{
    std::function<bool(const trawl_match &)> each;
    std::exception_ptr thrown;

  public:
    template <class F> explicit sink(F fn)
    {
        each = [fn = std::move(fn)](const trawl_match &m) mutable {
            if constexpr (std::is_void_v<decltype(fn(m))>)
                return fn(m), true;
            else
                return static_cast<bool>(fn(m));
        };
    }
    static int take(const trawl_match *matches, std::size_t count, void *user) noexcept
    {
        sink &s = *static_cast<sink *>(user);
        try {
            while (count > 0 && s.each(*matches))
                matches++, count--;
        } catch (...) {
            s.thrown = std::current_exception();
        }
        return count > 0;
    }
    template <class F, class... A>
    int call(F *function, A... arguments) /* one that uses the sink */
    {
        const int status = trawl::call(function, arguments...);
        if (thrown)
            std::rethrow_exception(std::exchange(thrown, nullptr));
        return status;
    }
};

struct context : std::unique_ptr<trawl_context, releaser<trawl_context_close>> {
    explicit context(const trawl_context_options *options = nullptr)
    {
        trawl_context *made = nullptr;
        call(trawl_context_open, options, &made);
        reset(made);
    }
    template <class F>
    int scan(const plan &p, std::string_view text, F &&fn,
             const trawl_scan_options *options = nullptr)
    {
        sink out(std::ref(fn));
        return out.call(trawl_scan, get(), p.get(), text.data(), text.size(), options, sink::take,
                        &out);
    }
};

struct stream_closer {
    std::unique_ptr<sink> out;
    void operator()(trawl_stream *handle) const noexcept
    {
        trawl_stream_drop(handle, nullptr);
    }
};

/* Plan and context must outlive it. Without close() what is still open is not reported. */
struct stream : std::unique_ptr<trawl_stream, stream_closer> {
    template <class F>
    stream(context &c, const plan &p, F fn, const trawl_scan_options *options = nullptr)
        : unique_ptr(nullptr, stream_closer{ std::make_unique<sink>(std::move(fn)) })
    {
        trawl_stream *made = nullptr;
        call(trawl_stream_open, c.get(), p.get(), options, sink::take, out(), &made);
        reset(made);
    }
    int feed(std::string_view piece)
    {
        return out()->call(trawl_stream_feed, get(), piece.data(), piece.size());
    }
    int close()
    {
        try {
            const int status = out()->call(trawl_stream_close, get());
            release();
            return status;
        } catch (const error &e) {
            if (e.status != TRAWL_ERROR_BUSY) /* which leaves it open */
                release();
            throw;
        } catch (...) {
            release();
            throw;
        }
    }
    sink *out()
    {
        return get_deleter().out.get();
    }
};

} // namespace trawl
#endif
