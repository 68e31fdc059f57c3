/* cpp.cpp: trawl.hpp: handles, errors, and exceptions through the library. */
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "trawl.hpp"
#include "trawl/formats.h"

static int failures;

#define EXPECT(what)                                                                               \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #what);                                 \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

static trawl::plan ushers()
{
    return trawl::plan({ trawl::pattern("he", 1), trawl::pattern("she", 2) });
}

static uint64_t matches(trawl::context &context, const trawl::plan &plan, std::string_view text)
{
    uint64_t count = 0;
    trawl::call(trawl_count, context.get(), plan.get(), text.data(), text.size(), nullptr, &count);
    return count;
}

/* What `call` throws; fails when it throws nothing. */
template <class F> static trawl::error thrown_by(F call)
{
    try {
        call();
    } catch (const trawl::error &e) {
        return e;
    }
    EXPECT(!"an error");
    return trawl::error(trawl_error{});
}

static void test_scan()
{
    const trawl::plan plan = ushers();
    trawl::context context;
    std::string seen;
    int status = context.scan(plan, "ushers she", [&](const trawl_match &m) {
        seen += std::to_string(m.id) + "@" + std::to_string(m.start) + " ";
    });
    EXPECT(status == TRAWL_OK);
    EXPECT(seen == "2@1 1@2 2@7 1@8 ");
    EXPECT(matches(context, plan, "ushers she") == 4);
    EXPECT(matches(context, plan, {}) == 0);

    int taken = 0;
    status = context.scan(plan, "ushers she", [&](const trawl_match &) { return ++taken < 3; });
    EXPECT(status == TRAWL_STOPPED && taken == 3);

    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    options.max_matches = 2;
    auto counting = [n = 0](const trawl_match &) mutable { return ++n > 0; };
    EXPECT(context.scan(plan, "ushers she", counting, &options) == TRAWL_LIMITED);
}

/* Handles move, free themselves once, and are empty afterwards. */
static void test_handles()
{
    trawl::plan first = ushers(), second = std::move(first);
    trawl::context context;
    EXPECT(!first && second);
    EXPECT(matches(context, second, "she") == 2);
    std::size_t bytes = 0;
    const void *saved = trawl_plan_save(second.get(), &bytes);
    trawl_plan *loaded = nullptr;
    trawl::call(trawl_plan_load, saved, bytes, &loaded);
    second = trawl::plan(loaded);
    EXPECT(matches(context, second, "she") == 2);
}

static void test_errors()
{
    const trawl::error malformed = thrown_by([] {
        trawl::plan({ trawl::pattern("fine"), trawl::pattern("ab(c", 0, TRAWL_SYNTAX_EXTENDED) });
    });
    EXPECT(malformed.status == TRAWL_ERROR_PATTERN);
    EXPECT(malformed.pattern == 1 && malformed.offset == 2);
    EXPECT(std::string(malformed.what()).find("column 3") != std::string::npos);
    EXPECT(thrown_by([] { trawl::plan(std::vector<trawl_pattern>{}); }).status ==
           TRAWL_ERROR_ARGUMENT);

    trawl_context_options options = TRAWL_CONTEXT_OPTIONS_INIT;
    options.backend = "quantum";
    const trawl::error unknown = thrown_by([&] { trawl::context context(&options); });
    EXPECT(unknown.status == TRAWL_ERROR_ARGUMENT && unknown.pattern == TRAWL_NONE);
}

/* What the function throws comes out as it is, and everything can be used again. */
static void test_exceptions()
{
    const trawl::plan plan = ushers();
    trawl::context context;
    std::string said;
    int taken = 0;
    try {
        context.scan(plan, "ushers she", [&](const trawl_match &) {
            if (++taken == 2)
                throw std::out_of_range("enough");
        });
        EXPECT(!"an exception");
    } catch (const std::out_of_range &e) {
        said = e.what();
    }
    EXPECT(said == "enough" && taken == 2);
    EXPECT(matches(context, plan, "ushers she") == 4);

    /* The context is in a call while its function runs. */
    int busy = 0;
    context.scan(plan, "she", [&](const trawl_match &) {
        busy += thrown_by([&] { matches(context, plan, "she"); }).status == TRAWL_ERROR_BUSY;
    });
    EXPECT(busy == 2);
}

static void test_stream()
{
    const trawl::plan plan = ushers();
    trawl::context context;
    std::vector<trawl_match> seen;
    trawl::stream stream(context, plan, [&](const trawl_match &m) { seen.push_back(m); });
    stream.feed("us");
    trawl::stream moved = std::move(stream);
    moved.feed("hers s");
    moved.out()->call(trawl_stream_break, moved.get());
    moved.feed("he");
    EXPECT(moved.close() == TRAWL_OK);
    EXPECT(!stream && !moved);
    EXPECT(seen.size() == 3);
    EXPECT(seen[0].start == 1 && seen[0].end == 4 && seen[0].record == 0);
    EXPECT(seen[2].start == 0 && seen[2].end == 2 && seen[2].record == 1);

    int thrown = 0;
    trawl::stream throwing(context, plan, [](const trawl_match &) -> bool { throw 7; });
    try {
        throwing.feed("she");
    } catch (int value) {
        thrown = value;
    }
    EXPECT(thrown == 7);
    EXPECT(throwing.feed("she") == TRAWL_STOPPED);
    EXPECT(throwing.close() == TRAWL_STOPPED);
}

/* A stream that goes without close() hands on nothing more: it may be going because of an
 * exception, and what its function used may be gone. */
static void test_abandoned()
{
    const trawl::plan plan({ trawl::pattern("a[b]{1,9}", 0, TRAWL_SYNTAX_EXTENDED) });
    trawl::context context;
    trawl_scan_options options = TRAWL_SCAN_OPTIONS_INIT;
    options.report = TRAWL_REPORT_LONGEST;
    int taken = 0;
    const auto take = [&](const trawl_match &) { taken++; };
    {
        trawl::stream stream(context, plan, take, &options);
        stream.feed("xabb");
    }
    EXPECT(taken == 0);
    trawl::stream closed(context, plan, take, &options);
    closed.feed("xabb");
    closed.close();
    EXPECT(taken == 1);
}

/* trawl::sink serves the calls that the header has no shorter form of. */
static void test_sink()
{
    const trawl::plan plan = ushers();
    trawl::context context;
    const trawl_text texts[] = { { "she", 3 }, { nullptr, 0 }, { "he", 2 } };
    uint64_t records = 0;
    trawl::sink out([&](const trawl_match &m) { records = records * 10 + m.record + 1; });
    out.call(trawl_scan_many, context.get(), plan.get(), texts, 3, nullptr, trawl::sink::take,
             &out);
    EXPECT(records == 113);
}

int main()
{
    test_scan();
    test_handles();
    test_errors();
    test_exceptions();
    test_stream();
    test_abandoned();
    test_sink();
    return failures > 0;
}
